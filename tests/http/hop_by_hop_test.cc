#include "http/hop_by_hop.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

TEST(RemoveHopByHop, TakesTheListAndWhatConnectionNames) {
  Fields fields;
  fields.add("connection", "X-One,x-two");
  fields.add("Connection", "close");
  for (const auto* name : {"X-One", "X-Two", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
                           "Transfer-Encoding", "Upgrade", "Content-Length"}) {
    fields.add(name, "1");
  }
  fields.add("X-Three", "kept");
  remove_hop_by_hop(fields);
  EXPECT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields.get("X-Three"), "kept");
}

TEST(RemoveHopByHop, HostCannotBeNamedAway) {
  Fields fields;
  fields.add("Host", "a");
  fields.add("Connection", "host");
  remove_hop_by_hop(fields);
  EXPECT_EQ(fields.get("Host"), "a");
}

}  // namespace
}  // namespace tessera::http
