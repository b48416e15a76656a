#include "loadtest/churn.h"

#include <chrono>
#include <cstdio>

#include "tests/support/http_request.h"

namespace tessera::loadtest {
namespace {

using Clock = std::chrono::steady_clock;

class Churn {
 public:
  explicit Churn(const ChurnOptions& options)
      : options_(options), origin_(options.origin), server_(options.server) {}

  // One change and the request after it; false when the answer is not what it must be.
  bool step(unsigned number) {
    const std::string title = "change " + std::to_string(number) + ".";
    test::Call change;
    change.method = "PATCH";
    change.target = "/courses/" + std::to_string(number % options_.courses + 1);
    change.fields = {{"Content-Type", "application/json"}};
    change.body = "{\"title\":\"" + title + "\"}";
    if (origin_.send(change).status != 200) return false;

    test::Call call;
    call.target = options_.target;
    const auto begin = Clock::now();
    if (options_.invalidate == "purge") {
      test::Call purge = call;
      purge.method = "PURGE";
      if (server_.send(purge).status != 200) return false;
    } else if (options_.invalidate == "refresh") {
      call.fields = {{"X-Refresh", "1"}};
    }
    const test::Reply reply = server_.send(call);
    answering_ += Clock::now() - begin;
    return reply.ok() && reply.body.find(title) != std::string::npos;
  }

  double answering_seconds() const { return std::chrono::duration<double>(answering_).count(); }

 private:
  const ChurnOptions& options_;
  test::Connection origin_;
  test::Connection server_;
  Clock::duration answering_{0};
};

}  // namespace

int run_churn(const ChurnOptions& options) {
  Churn churn(options);
  const auto start = Clock::now();
  unsigned requests = 0;
  unsigned wrong = 0;
  while (std::chrono::duration<double>(Clock::now() - start).count() < options.seconds) {
    if (!churn.step(requests)) ++wrong;
    ++requests;
  }
  const double all = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("%.1f requests/s, %u requests, %.1f/s with the changes, %u wrong\n",
              requests / churn.answering_seconds(), requests, requests / all, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace tessera::loadtest
