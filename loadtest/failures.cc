// Four faults, each in three phases under a steady load: before, during, after.
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "loadtest/clients.h"
#include "loadtest/scenarios.h"
#include "tests/support/programs.h"
#include "tests/support/redis_server.h"
#include "tests/support/temporary.h"

namespace tessera::loadtest {
namespace {

using std::chrono::milliseconds;

// An origin on a database file, a Redis and a proxy: the first two can be taken away and come back.
class Stage {
 public:
  Stage(const ScenarioOptions& options, const std::string& l1) : options_(options) {
    start_origin(0);
    proxy_.emplace(origin_->url(), std::vector<std::string>{"--redis", redis_.unix_address(), "--l1", l1});
  }

  test::RedisServer& redis() { return redis_; }
  test::Process& origin() { return origin_->process(); }
  void restart_origin() { start_origin(test::parse_url(origin_->url()).port); }

  std::string url() const { return proxy_->url(target()); }
  std::string expected_body() const { return origin_->get(target()).body; }

 private:
  std::string target() const { return "/courses/" + options_.rendering; }

  void start_origin(unsigned short port) {
    origin_.emplace(std::vector<std::string>{"--db", directory_.file("courses.db"), "--courses",
                                             std::to_string(options_.courses), "--slides",
                                             std::to_string(options_.slides)},
                    port);
  }

  ScenarioOptions options_;
  test::TemporaryDirectory directory_;
  test::RedisServer redis_;
  std::optional<test::OriginProgram> origin_;
  std::optional<test::ProxyProgram> proxy_;
};

struct Fault {
  const char* name;
  const char* l1;  // 0 makes every answer need Redis
  void (*begin)(Stage&);
  void (*end)(Stage&);
  bool is_harmless;  // clients must see nothing but right answers
};

const Fault kFaults[] = {
    {"Redis frozen (kill -STOP)", "0", [](Stage& stage) { stage.redis().freeze(); },
     [](Stage& stage) { stage.redis().thaw(); }, true},
    {"Redis killed (kill -9), then restarted", "0", [](Stage& stage) { stage.redis().kill(); },
     [](Stage& stage) { stage.redis().restart(); }, true},
    {"origin frozen (kill -STOP)", "256MiB", [](Stage& stage) { stage.origin().freeze(); },
     [](Stage& stage) { stage.origin().thaw(); }, false},
    {"origin killed (kill -9), then restarted", "256MiB", [](Stage& stage) { stage.origin().kill(); },
     [](Stage& stage) { stage.restart_origin(); }, false},
};

bool all_right(const Seen& seen) {
  return seen.responses > 0 && seen.wrong_bodies == 0 && seen.statuses.size() == 1 &&
         seen.statuses.contains("200");
}

// A phase lasts a span of time: it is what is measured, not a wait for an event.
void last(unsigned span_ms) {
  std::this_thread::sleep_for(milliseconds(span_ms));
}

int run_fault(const Fault& fault, const ScenarioOptions& options) {
  Stage stage(options, fault.l1);
  const std::string body = stage.expected_body();
  for (int i = 0; i < 3; ++i) test::get(stage.url());
  Load load(stage.url(), options.clients == 0 ? 8 : options.clients, body);
  std::printf("%s\n", fault.name);

  last(options.span_ms);
  const Seen before = load.next_span();
  std::printf("  before  %s\n", before.to_string().c_str());
  fault.begin(stage);
  last(options.span_ms);
  const Seen during = load.next_span();
  std::printf("  during  %s\n", during.to_string().c_str());
  fault.end(stage);
  // What was under way when the fault ended still belongs to it.
  const bool back =
      load.wait_for_responses(2 * (options.clients == 0 ? 8 : options.clients), milliseconds(30'000));
  const Seen turning = load.next_span();
  std::printf("  turning %s\n", turning.to_string().c_str());
  last(options.span_ms);
  const Seen after = load.next_span();
  std::printf("  after   %s\n", after.to_string().c_str());
  load.stop();

  const bool right_bytes = during.wrong_bodies + turning.wrong_bodies == 0;
  const bool kept = back && right_bytes && all_right(before) && all_right(after) &&
                    (!fault.is_harmless || (all_right(during) && all_right(turning)));
  std::printf("  %s\n", kept ? (fault.is_harmless ? "kept: every answer was right throughout"
                                                  : "kept: no wrong answer, and all right again afterwards")
                             : "BROKEN: see the counts above");
  std::fflush(stdout);
  return kept ? 0 : 1;
}

}  // namespace

int run_failures(const ScenarioOptions& options) {
  int broken = 0;
  for (const Fault& fault : kFaults) broken += run_fault(fault, options);
  return broken == 0 ? 0 : 1;
}

}  // namespace tessera::loadtest
