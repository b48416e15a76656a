#include "proxy/max_forwards.h"

#include <gtest/gtest.h>

#include "http/message.h"
#include "proxy/forwarding.h"

namespace tessera::proxy {
namespace {

class Sized final : public http::BodySource {
 public:
  explicit Sized(std::uint64_t size) : size_(size) {}
  std::optional<std::uint64_t> length() const override { return size_; }
  http::Task<http::Result<std::size_t>> read_some(std::span<char>, http::Deadline) override { co_return 0u; }

 private:
  std::uint64_t size_;
};

struct Asked {
  explicit Asked(std::string method, std::string_view hops = {}) {
    request.head.method = std::move(method);
    request.head.target = "/x";
    request.head.fields.set("Host", "a");
    if (!hops.empty()) request.head.fields.set("Max-Forwards", hops);
    request.body = &body;
  }
  Sized body{0};
  http::Request request;
};

TEST(MaxForwards, OptionsAtZeroIsAnsweredHere) {
  const Asked asked("OPTIONS", "0");
  const auto answer = answered_here(asked.request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 204);
  EXPECT_EQ(answer->head.fields.get("Allow"), kAllowedMethods);
}

TEST(MaxForwards, OptionsAboveZeroGoesOnWithOneLess) {
  for (const auto& [hops, left] :
       {std::pair{"1", "0"}, {"007", "6"}, {"18446744073709551615", "18446744073709551614"}}) {
    const Asked asked("OPTIONS", hops);
    EXPECT_FALSE(answered_here(asked.request)) << hops;
    EXPECT_EQ(forwarded_head(asked.request).fields.get("Max-Forwards"), left);
  }
  const Asked without("OPTIONS");
  EXPECT_FALSE(answered_here(without.request));
  EXPECT_FALSE(forwarded_head(without.request).fields.has("Max-Forwards"));
}

TEST(MaxForwards, MeansNothingToOtherMethods) {
  const Asked asked("GET", "0");
  EXPECT_FALSE(answered_here(asked.request));
  EXPECT_EQ(forwarded_head(asked.request).fields.get("Max-Forwards"), "0");
}

TEST(MaxForwards, ThatIsNoNumberIsRefused) {
  for (const auto* hops : {"-1", "x", "1x", "1, 2", "99999999999999999999", "+1"}) {
    const Asked asked("OPTIONS", hops);
    const auto answer = answered_here(asked.request);
    ASSERT_TRUE(answer) << hops;
    EXPECT_EQ(answer->head.status, 400) << hops;
  }
  Asked twice("TRACE", "0");
  twice.request.head.fields.add("Max-Forwards", "0");
  EXPECT_EQ(answered_here(twice.request)->head.status, 400);
}

TEST(MaxForwards, TraceAtZeroShowsTheRequestWithoutCredentials) {
  Asked asked("TRACE", "0");
  for (const auto* name : {"Authorization", "Cookie", "Proxy-Authorization", "X-Forwarded-For", "X-Kept"}) {
    asked.request.head.fields.set(name, "v");
  }
  const auto answer = answered_here(asked.request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 200);
  EXPECT_EQ(answer->head.fields.get("Content-Type"), "message/http");
  EXPECT_EQ(std::get<std::string>(answer->body),
            "TRACE /x HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\nX-Kept: v\r\n\r\n");
}

TEST(MaxForwards, TraceGoesNoFurther) {
  for (const auto* hops : {"", "5"}) {
    const Asked asked("TRACE", hops);
    const auto answer = answered_here(asked.request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->head.status, 405);
    EXPECT_EQ(answer->head.fields.get("Allow"), kAllowedMethods);
  }
  Asked with_body("TRACE", "0");
  with_body.body = Sized(3);
  EXPECT_EQ(answered_here(with_body.request)->head.status, 400);
}

}  // namespace
}  // namespace tessera::proxy
