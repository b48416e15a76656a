// An upstream of several scripted origins on an event loop of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/upstream.h"
#include "tests/http/harness.h"
#include "tests/support/scripted_origin.h"

namespace tessera::http::testing {

class UpstreamTest : public ::testing::Test {
 protected:
  struct Got {
    boost::system::error_code error;
    int status = 0;
    std::string body;
  };

  // Each answers with its number: "0", "1" ...
  void start(std::size_t origins, UpstreamOptions options = {}) {
    std::vector<Origin> all;
    for (std::size_t i = 0; i < origins; ++i) {
      origins_.push_back(std::make_unique<test::ScriptedOrigin>(number_reply(i)));
      all.push_back(*parse_origin(origins_.back()->url()));
    }
    group_ = std::make_shared<OriginGroup>(std::move(all), 1);
    auto make = [this, options]() -> Task<void> {
      upstream_ = std::make_unique<Upstream>(loops_.executor(), group_, options, 0);
      co_return;
    };
    loops_.run(make);
  }
  void TearDown() override {
    auto end = [this]() -> Task<void> {
      upstream_.reset();
      co_return;
    };
    loops_.run(end);
    loops_.stop();
  }

  static test::ScriptedOrigin::Script number_reply(std::size_t number) {
    return [number](const test::SeenRequest&) { return test::json_reply(std::to_string(number)); };
  }
  Got send(RequestHead head, BodySource* body = nullptr, Deadline deadline = soon()) {
    Got got;
    auto run = [&]() -> Task<void> {
      auto response = co_await upstream_->send(head, body, deadline);
      if (!response) {
        got.error = response.error();
        co_return;
      }
      got.status = response->head.status;
      const auto bytes = co_await read_all(*response->body, 10'000, deadline);
      if (bytes) got.body = *bytes;
    };
    loops_.run(run);
    return got;
  }
  Got get(std::string target = "/", Deadline deadline = soon()) {
    RequestHead head;
    head.target = std::move(target);
    return send(head, nullptr, deadline);
  }
  // How many of so many requests each origin answered.
  std::vector<int> shares(int requests) {
    std::vector<int> counts(origins_.size());
    for (int i = 0; i < requests; ++i) {
      const auto got = get();
      if (got.status == 200) ++counts.at(std::stoul(got.body));
    }
    return counts;
  }
  OriginHealth::State state(std::size_t origin) const {
    return group_->members[origin].status->health().state(std::chrono::steady_clock::now());
  }
  OriginCounts counts(std::size_t origin) const { return group_->members[origin].status->counts(); }

  std::vector<std::unique_ptr<test::ScriptedOrigin>> origins_;
  std::shared_ptr<OriginGroup> group_;
  Loops loops_;
  std::unique_ptr<Upstream> upstream_;
};

}  // namespace tessera::http::testing
