#include "loadtest/scenarios.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "loadtest/clients.h"
#include "tests/support/programs.h"

namespace tessera::loadtest {
namespace {

using Counters = std::map<std::string, std::uint64_t>;

std::vector<std::string> data_set(const ScenarioOptions& options) {
  return {"--courses", std::to_string(options.courses), "--slides", std::to_string(options.slides)};
}

Counters difference(const Counters& before, Counters after) {
  for (auto& [name, value] : after) {
    if (before.contains(name)) value -= before.at(name);
  }
  return after;
}

void print(const Counters& counters) {
  for (const auto& [name, value] : counters) {
    if (value != 0) std::printf("  origin %s: %llu\n", name.c_str(), static_cast<unsigned long long>(value));
  }
}

// Prints a promise and whether it was kept; returns 1 for a broken one.
int promise(bool kept, const char* text) {
  std::printf("%s: %s\n", kept ? "kept" : "BROKEN", text);
  return kept ? 0 : 1;
}

}  // namespace

int run_change(const ScenarioOptions& options) {
  const std::string target = "/courses/" + options.rendering;
  const test::OriginProgram origin(data_set(options));
  const test::ProxyProgram proxy(origin.url());
  proxy.get(target);
  // The first answer that is assembled from records is held against the origin's own collection; that is over
  // first.
  origin.change("PATCH", "/courses/3", "{\"title\":\"changed before\"}");
  proxy.get(target);
  const bool verified = proxy.metric_reaches(1, "tessera_verified_total", {"result=\"equal\""});
  const test::Reply warm = proxy.get(target);
  std::printf("warm: %s\n", warm.field("Cache-Status").c_str());
  const test::Reply written = origin.change("PATCH", "/courses/7", "{\"title\":\"changed once\"}");

  const Counters before = origin.counters();
  const test::Reply changed = proxy.get(target);
  const Counters caused = difference(before, origin.counters());
  std::printf("after one change: %s\n", changed.field("Cache-Status").c_str());
  print(caused);

  const test::Reply expected = origin.get(target);
  int broken =
      promise(verified && warm.ok() && written.status == 200 && changed.ok(), "every request is answered");
  broken += promise(caused.at("records_requests") == 1 && caused.at("courses_rendered") == 1,
                    "exactly one record is fetched");
  broken += promise(caused.at("collection_requests") == 0, "the collection is not");
  broken += promise(changed.body == expected.body && changed.body != warm.body,
                    "the answer is byte-equal to the origin's, and shows the change");
  return broken == 0 ? 0 : 1;
}

int run_cold(const ScenarioOptions& options) {
  const std::string target = "/courses/" + options.rendering;
  const unsigned clients = options.clients == 0 ? 200 : options.clients;
  test::OriginProgram origin(data_set(options));
  const test::ProxyProgram proxy(origin.url());
  const test::Reply expected = origin.get(target);

  // The origin stands still until the proxy has all of them: so they are concurrent, however busy the machine
  // is.
  const Counters before = origin.counters();
  origin.process().freeze();
  const std::vector<test::Reply> replies = get_at_once(proxy.url(target), clients, [&] {
    proxy.metric_reaches(clients, "tessera_requests_total");
    origin.process().thaw();
  });
  const Counters caused = difference(before, origin.counters());

  std::size_t right = 0;
  for (const test::Reply& reply : replies) right += reply.ok() && reply.body == expected.body ? 1 : 0;
  std::printf("%u clients at once, %zu right answers\n", clients, right);
  print(caused);
  int broken = promise(right == clients, "every answer is byte-equal to the origin's");
  broken += promise(caused.at("manifest_requests") <= 4, "at most 4 manifest requests at the origin");
  broken += promise(caused.at("courses_rendered") == options.courses, "each record is rendered once");
  return broken == 0 ? 0 : 1;
}

}  // namespace tessera::loadtest
