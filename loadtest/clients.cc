#include "loadtest/clients.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tessera::loadtest {
namespace {

using Clock = std::chrono::steady_clock;

std::string list(const std::map<std::string, std::size_t>& counts, const char* times) {
  std::string text;
  for (const auto& [name, count] : counts) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + times + name;
  }
  return text;
}

}  // namespace

std::string outcome_of(const test::Reply& reply) {
  const std::string value = reply.field("Cache-Status");
  const std::size_t begin = value.find("; ");
  if (begin == std::string::npos) return value.empty() ? "no Cache-Status" : value;
  const std::string what = value.substr(begin + 2, value.find(';', begin + 2) - begin - 2);
  const std::size_t reason = value.find("detail=");
  return what == "fwd=bypass" && reason != std::string::npos ? what + " " + value.substr(reason) : what;
}

void Seen::add(const test::Reply& reply, Clock::time_point sent, const std::string& expected_body) {
  ++responses;
  ++statuses[reply.error.empty() ? std::to_string(reply.status) : "no (complete) response"];
  if (reply.error.empty() && reply.has("Cache-Status")) ++outcomes[outcome_of(reply)];
  if (reply.ok() && reply.body != expected_body) ++wrong_bodies;
  longest = std::max(longest, std::chrono::duration_cast<std::chrono::microseconds>(reply.done_at - sent));
}

std::string Seen::to_string() const {
  if (responses == 0) return "no response";
  char milliseconds[32];
  std::snprintf(milliseconds, sizeof milliseconds, "%.1f", static_cast<double>(longest.count()) / 1000);
  return std::to_string(responses) + " responses: " + list(statuses, " x ") +
         (outcomes.empty() ? "" : " (" + list(outcomes, " ") + ")") + "; wrong bodies " +
         std::to_string(wrong_bodies) + "; longest " + milliseconds + " ms";
}

std::vector<test::Reply> get_at_once(const std::string& url, std::size_t count,
                                     const std::function<void()>& when_sent) {
  const test::Url parsed = test::parse_url(url);
  test::Call call;
  call.target = parsed.target;
  const std::string text = test::to_text(call, parsed.authority());
  std::vector<test::Connection> connections;
  for (std::size_t i = 0; i < count; ++i) connections.emplace_back(url);
  for (test::Connection& connection : connections) connection.send_raw(text);
  when_sent();
  std::vector<test::Reply> replies;
  for (test::Connection& connection : connections) replies.push_back(connection.read_reply());
  return replies;
}

struct Load::Impl {
  std::string url;
  std::string target;
  std::string expected_body;
  std::atomic<bool> stop{false};
  std::mutex mutex;  // protects what follows
  std::condition_variable more;
  Seen seen;
  std::size_t total = 0;
  std::vector<std::thread> threads;

  void run() {
    std::optional<test::Connection> connection;
    while (!stop) {
      const auto sent = Clock::now();
      test::Reply reply;
      try {
        if (!connection) connection.emplace(url);
        reply = connection->get(target);
      } catch (const std::runtime_error& error) {
        reply.error = error.what();
        reply.done_at = Clock::now();
      }
      if (!reply.error.empty()) {
        connection.reset();
        // A refused connection fails at once: without a pause the loop would only count its own speed.
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      const std::lock_guard lock(mutex);
      seen.add(reply, sent, expected_body);
      ++total;
      more.notify_all();
    }
  }
};

Load::Load(std::string url, std::size_t clients, std::string expected_body)
    : impl_(std::make_unique<Impl>()) {
  impl_->target = test::parse_url(url).target;
  impl_->url = std::move(url);
  impl_->expected_body = std::move(expected_body);
  for (std::size_t i = 0; i < clients; ++i)
    impl_->threads.emplace_back([impl = impl_.get()] { impl->run(); });
}

Load::~Load() {
  stop();
}

Seen Load::next_span() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->seen, Seen{});
}

bool Load::wait_for_responses(std::size_t count, std::chrono::milliseconds limit) {
  std::unique_lock lock(impl_->mutex);
  const std::size_t goal = impl_->total + count;
  return impl_->more.wait_for(lock, limit, [&] { return impl_->total >= goal; });
}

void Load::stop() {
  impl_->stop = true;
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
}

}  // namespace tessera::loadtest
