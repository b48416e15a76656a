// What the tests of the collection route have in common: three items, and a proxy that knows them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/proxy/item_origin.h"

namespace tessera::test {

using Item = ItemOrigin::Item;
using State = ItemOrigin::State;

inline std::string reason(const Reply& reply) {
  return reply.field("Cache-Status");
}

inline ScriptedReply plain_reply(int status, std::string body, FieldLines fields = {}) {
  ScriptedReply reply;
  reply.status = status;
  reply.fields = std::move(fields);
  reply.body = std::move(body);
  return reply;
}

#define EXPECT_STATUS_HAS(reply, part) EXPECT_NE(reason(reply).find(part), std::string::npos) << reason(reply)

inline std::vector<Item> three() {
  return {item(1, "v1", "one"), item(2, "v1", "two"), item(3, "v1", "three")};
}

// The client of a whole-collection fetch has its answer before what is learned from it has been checked and
// kept; the second request waits for that.
inline void learn(const ProxyProgram& proxy) {
  proxy.get("/items");
  proxy.get("/items");
}

// Asks once more after the answer that is verified against the whole collection, so that counts are those of
// a fill.
inline void warm(ItemOrigin& origin, const ProxyProgram& proxy) {
  learn(proxy);
  origin.change([](State& state) { state.items[0].version = "\"warm\""; });
  proxy.get("/items");
  origin.server().forget();
}

}  // namespace tessera::test
