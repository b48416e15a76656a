#include "proxy/admin.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/error.h"

namespace tessera::proxy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A body of `size` bytes 'x', or a text, that ends with an error when one is given.
class ScriptedBody : public http::BodySource {
 public:
  explicit ScriptedBody(std::string text, boost::system::error_code error = {})
      : text_(std::move(text)), error_(error) {}

  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  http::Task<http::Result<std::size_t>> read_some(std::span<char> buffer, http::Deadline) override {
    if (sent_ == text_.size() && error_) co_return error_;
    const auto size = std::min(buffer.size(), text_.size() - sent_);
    std::memcpy(buffer.data(), text_.data() + sent_, size);
    sent_ += size;
    co_return size;
  }

 private:
  std::string text_;
  std::size_t sent_ = 0;
  boost::system::error_code error_;
};

class AdminListener : public testing::Test {
 protected:
  AdminListener() {
    sources_.statistics = &statistics_;
    actions_.purge = [this](std::optional<std::string> route,
                            std::optional<std::string> id) -> http::Task<PurgeCount> {
      calls_.push_back("purge " + route.value_or("-") + " " + id.value_or("-"));
      co_return purged_;
    };
    actions_.invalidate =
        [this](std::string route,
               std::string manifest) -> http::Task<boost::system::result<PurgeCount, std::string>> {
      calls_.push_back("invalidate " + route + " " + std::to_string(manifest.size()));
      if (manifest == "bad") co_return std::string("the manifest is no JSON");
      co_return purged_;
    };
    actions_.set_mode = [this](std::string_view route, config::RouteMode mode) {
      calls_.push_back("mode " + std::string(route) + (mode == config::RouteMode::pass ? " pass" : " serve"));
      return route == "courses";
    };
    actions_.modes = [] { return RouteModes{{"courses", config::RouteMode::serve}}; };
    actions_.ready = [this] { return ready_; };
  }

  http::Response send(std::string method, std::string target, http::Fields fields = {}) {
    ScriptedBody none("");
    return send_body(std::move(method), std::move(target), none, std::move(fields));
  }

  http::Response send_body(std::string method, std::string target, http::BodySource& body,
                           http::Fields fields = {}) {
    Admin admin(settings_, sources_, actions_);
    http::Request request;
    request.head.method = std::move(method);
    request.head.target = std::move(target);
    request.head.fields = std::move(fields);
    request.body = &body;
    boost::asio::io_context context;
    http::Response response;
    std::exception_ptr failure;
    boost::asio::co_spawn(context, admin.handle(request),
                          [&](std::exception_ptr error, http::Response answer) {
                            failure = error;
                            response = std::move(answer);
                          });
    context.run();
    EXPECT_FALSE(failure);
    EXPECT_EQ(response.head.fields.get("Cache-Control"), "no-store");
    return response;
  }

  static std::string body_of(const http::Response& response) {
    const auto* text = std::get_if<std::string>(&response.body);
    return text ? *text : "";
  }

  config::AdminSettings settings_;
  Statistics statistics_{{"courses"}};
  StatisticsSources sources_;
  AdminActions actions_;
  std::vector<std::string> calls_;
  PurgeCount purged_{3, 4};
  bool ready_ = true;
};

TEST_F(AdminListener, ServesStatisticsInBothForms) {
  const auto json = send("GET", "/stats");
  EXPECT_EQ(json.head.status, 200);
  EXPECT_EQ(json.head.fields.get("Content-Type"), "application/json");
  EXPECT_THAT(body_of(json), HasSubstr("\"mode\": \"serve\""));
  const auto text = send("GET", "/metrics");
  EXPECT_EQ(text.head.fields.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(body_of(text), HasSubstr("tessera_route_serving{route=\"courses\"} 1\n"));
}

TEST_F(AdminListener, AnswersHeadWithTheLengthAndNoBody) {
  const auto get = send("GET", "/healthz");
  const auto head = send("HEAD", "/healthz");
  EXPECT_EQ(head.head.status, 200);
  ASSERT_TRUE(std::holds_alternative<http::NoBody>(head.body));
  EXPECT_EQ(std::get<http::NoBody>(head.body).length, body_of(get).size());
  EXPECT_TRUE(std::holds_alternative<http::NoBody>(send("HEAD", "/nothing").body));
}

TEST_F(AdminListener, IsHealthyAndReadyOnlyWhenItIs) {
  EXPECT_EQ(send("GET", "/healthz").head.status, 200);
  EXPECT_EQ(send("GET", "/readyz").head.status, 200);
  ready_ = false;
  EXPECT_EQ(send("GET", "/healthz").head.status, 200);
  const auto response = send("GET", "/readyz");
  EXPECT_EQ(response.head.status, 503);
  EXPECT_EQ(response.head.fields.get("Content-Type"), "application/problem+json");
}

TEST_F(AdminListener, PurgesAndCountsPerTier) {
  const auto response = send("POST", "/purge");
  EXPECT_EQ(response.head.status, 200);
  EXPECT_EQ(body_of(response), "{\"memory\":3,\"redis\":4}\n");
  purged_.remote.reset();
  EXPECT_EQ(body_of(send("POST", "/purge?route=courses")), "{\"memory\":3,\"redis\":null}\n");
  send("POST", "/purge?id=a%2Fb%26c&route=courses");
  EXPECT_THAT(calls_, ElementsAre("purge - -", "purge courses -", "purge courses a/b&c"));
}

TEST_F(AdminListener, NamesTheParameterThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"/purge?id=1", "id needs the parameter route"},
      {"/purge?rout=courses", "no parameter rout"},
      {"/purge?route=courses&route=courses", "route is there twice"},
      {"/purge?route=courses&id=%4", "id has a '%'"},
      {"/purge?route=", "route has no value"},
      {"/purge?route=courses&id", "id has no value"},
      {"/invalidate", "route is missing"},
      {"/routes/courses", "mode is missing"},
      {"/routes/courses?mode=off", "mode must be serve or pass"}};
  for (const auto& [target, text] : wrong) {
    const auto response = send("POST", target);
    EXPECT_EQ(response.head.status, 400) << target;
    EXPECT_EQ(response.head.fields.get("Content-Type"), "application/problem+json");
    EXPECT_THAT(body_of(response), HasSubstr(text));
  }
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(AdminListener, KnowsNoRouteButThoseThereAre) {
  for (const auto* target :
       {"/purge?route=other", "/invalidate?route=other", "/routes/other?mode=pass", "/routes/?mode=pass"}) {
    EXPECT_EQ(send("POST", target).head.status, 404) << target;
  }
  for (const auto* target : {"/", "/stats/", "/Stats", "/routes", "*"})
    EXPECT_EQ(send("GET", target).head.status, 404) << target;
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(AdminListener, ChangesNothingByGetAndNamesWhatIsAllowed) {
  for (const auto* target :
       {"/purge", "/purge?route=courses", "/invalidate?route=courses", "/routes/courses?mode=pass"}) {
    for (const auto* method : {"GET", "HEAD", "PUT", "DELETE", "PURGE", "OPTIONS", "post"}) {
      const auto response = send(method, target);
      EXPECT_EQ(response.head.status, 405) << method << " " << target;
      EXPECT_EQ(response.head.fields.get("Allow"), "POST");
    }
  }
  for (const auto* target : {"/stats", "/metrics", "/healthz", "/readyz"}) {
    const auto response = send("POST", target);
    EXPECT_EQ(response.head.status, 405);
    EXPECT_EQ(response.head.fields.get("Allow"), "GET, HEAD");
  }
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(AdminListener, SwitchesRoutes) {
  const auto response = send("POST", "/routes/courses?mode=pass");
  EXPECT_EQ(response.head.status, 200);
  EXPECT_EQ(body_of(response), "{\"route\":\"courses\",\"mode\":\"pass\"}\n");
  send("POST", "/routes/courses?mode=serve");
  EXPECT_THAT(calls_, ElementsAre("mode courses pass", "mode courses serve"));
}

TEST_F(AdminListener, HandsManifestsToInvalidate) {
  ScriptedBody manifest("{\"records\":[]}");
  const auto response = send_body("POST", "/invalidate?route=courses", manifest);
  EXPECT_EQ(response.head.status, 200);
  EXPECT_EQ(body_of(response), "{\"memory\":3,\"redis\":4}\n");
  ScriptedBody bad("bad");
  const auto refused = send_body("POST", "/invalidate?route=courses", bad);
  EXPECT_EQ(refused.head.status, 400);
  EXPECT_THAT(body_of(refused), HasSubstr("the manifest is no JSON"));
  EXPECT_THAT(calls_, ElementsAre("invalidate courses 14", "invalidate courses 3"));
}

TEST_F(AdminListener, RefusesManifestsThatAreTooLargeLateOrCut) {
  ScriptedBody large(std::string((16u << 20) + 1, ' '));
  EXPECT_EQ(send_body("POST", "/invalidate?route=courses", large).head.status, 413);
  ScriptedBody late("{", make_error_code(http::Error::timeout));
  EXPECT_EQ(send_body("POST", "/invalidate?route=courses", late).head.status, 408);
  ScriptedBody cut("{", make_error_code(http::Error::incomplete_body));
  EXPECT_EQ(send_body("POST", "/invalidate?route=courses", cut).head.status, 400);
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(AdminListener, WantsTheTokenForEverythingButHealth) {
  settings_.token = "s3cret";
  for (const auto* target : {"/stats", "/metrics", "/nothing"}) {
    const auto response = send("GET", target);
    EXPECT_EQ(response.head.status, 401) << target;
    EXPECT_THAT(response.head.fields.get("WWW-Authenticate").value_or(""), HasSubstr("Bearer"));
  }
  EXPECT_EQ(send("POST", "/purge").head.status, 401);
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_EQ(send("GET", "/healthz").head.status, 200);
  EXPECT_EQ(send("GET", "/readyz").head.status, 200);
  http::Fields fields;
  fields.add("Authorization", "Bearer s3cret");
  EXPECT_EQ(send("POST", "/purge", fields).head.status, 200);
  EXPECT_THAT(calls_, ElementsAre("purge - -"));
}

TEST_F(AdminListener, KeepsWebPagesFromPurging) {
  http::Fields rebound;
  rebound.add("Host", "evil.example:9080");
  EXPECT_EQ(send("POST", "/purge", rebound).head.status, 403);
  http::Fields cross;
  cross.add("Host", "127.0.0.1:9080");
  cross.add("Origin", "http://evil.example");
  EXPECT_EQ(send("POST", "/purge", cross).head.status, 403);
  EXPECT_THAT(calls_, IsEmpty());
}

}  // namespace
}  // namespace tessera::proxy
