// Starts an origin, two proxies in front of it and a Redis between them; writers and readers; and says what
// came out.
#include <atomic>
#include <cstdio>
#include <exception>
#include <random>
#include <thread>

#include "loadtest/history/history.h"
#include "loadtest/history/options.h"
#include "loadtest/history/reader.h"
#include "loadtest/history/redis_chaos.h"
#include "loadtest/history/writer.h"
#include "tests/support/programs.h"

namespace tessera::loadtest {
namespace {

// The threads of a run. The first exception of a writer ends the run.
class Run {
 public:
  Run(const ConsistencyOptions& options, Writer& writer, History& history, std::vector<std::string> proxies)
      : options_(options), writer_(writer), history_(history), proxies_(std::move(proxies)) {}

  ReaderCounts go(RedisChaos& redis) {
    left_ = static_cast<long>(options_.reads);
    reading_ = options_.readers;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options_.writers; ++i)
      threads.emplace_back([this, i] { write(options_.seed + 1 + i); });
    for (unsigned i = 0; i < options_.readers; ++i)
      threads.emplace_back([this, i] { read(options_.seed + 101 + i); });
    try {
      if (options_.redis_chaos) redis.run(options_.chaos_period_ms, stop_);
    } catch (const std::exception&) {
      give_up();
    }
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    history_.finish();
    return counts_;
  }

 private:
  void write(std::uint64_t seed) {
    try {
      writer_.run(history_, seed, stop_);
    } catch (const std::exception&) {
      give_up();
    }
  }

  // Called in a handler: keeps the first exception, and lets the readers end.
  void give_up() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    left_ = 0;
  }

  void read(std::uint64_t seed) {
    Reader reader(proxies_, seed, left_);
    const ReaderCounts counts = reader.run(history_);
    const std::lock_guard lock(mutex_);
    counts_.add(counts);
    if (--reading_ == 0) stop_ = true;
  }

  const ConsistencyOptions& options_;
  Writer& writer_;
  History& history_;
  std::vector<std::string> proxies_;
  std::atomic<long> left_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // protects what follows
  unsigned reading_ = 0;
  ReaderCounts counts_;
  std::exception_ptr failure_;
};

void print_counts(const char* title, const std::map<std::string, std::size_t>& counts) {
  std::printf("%s:\n", title);
  for (const auto& [name, count] : counts) std::printf("  %8zu %s\n", count, name.c_str());
}

int print_result(const ConsistencyOptions& options, const History::Result& result,
                 const ReaderCounts& readers, const Writer& writer, const RedisChaos& redis) {
  print_counts("writes", writer.counts());
  print_counts("reads by Cache-Status", readers.outcomes);
  for (const std::string& sentence : readers.sentences) std::printf("failed: %s\n", sentence.c_str());
  for (const std::string& sentence : result.sentences) std::printf("violation: %s\n", sentence.c_str());
  std::printf(
      "seed %llu: %zu reads (%zu of them 304) through 2 proxies, %zu states of the origin, Redis killed %zu "
      "times and "
      "frozen %zu times, %zu reads failed, %zu violations (%zu of them stale)\n",
      static_cast<unsigned long long>(options.seed), readers.reads, readers.not_modified, result.states,
      redis.kills(), redis.freezes(), readers.failed, result.violations, result.stale);
  return result.violations == 0 && readers.failed == 0 ? 0 : 1;
}

int run_seeded(const ConsistencyOptions& options) {
  std::printf("seed %llu, %u courses with %u slides, %zu reads by %u readers, %u writers\n",
              static_cast<unsigned long long>(options.seed), options.courses, options.slides, options.reads,
              options.readers, options.writers);
  std::fflush(stdout);
  RedisChaos redis;
  test::OriginProgram origin(
      {"--courses", std::to_string(options.courses), "--slides", std::to_string(options.slides)});
  test::ProxyProgram first(origin.url(), {"--redis", redis.address(), "--l1", options.l1});
  test::ProxyProgram second(origin.url(), {"--redis", redis.address(), "--l1", options.second_l1});
  Writer writer(origin.url(), options);
  History history(writer.observe());
  Run run(options, writer, history, {first.url(), second.url()});
  const ReaderCounts counts = run.go(redis);
  const int status = print_result(options, history.result(), counts, writer, redis);
  for (test::ProxyProgram* proxy : {&first, &second}) {
    const int exit = proxy->process().terminate();
    if (exit == 0) continue;
    std::printf("a proxy ended with status %d:\n%s\n", exit, proxy->process().errors().c_str());
    return 2;
  }
  return status;
}

}  // namespace

int run_consistency(const ConsistencyOptions& options) {
  ConsistencyOptions seeded = options;
  if (seeded.seed == 0) seeded.seed = std::random_device{}() | 1U;
  try {
    return run_seeded(seeded);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the check could not be made: %s\n", error.what());
    return 2;
  }
}

}  // namespace tessera::loadtest
