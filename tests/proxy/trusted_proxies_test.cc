#include "proxy/trusted_proxies.h"

#include <gtest/gtest.h>

#include "proxy/identity.h"

namespace tessera::proxy {
namespace {

http::Fields forwarded_for(std::initializer_list<std::string_view> lines) {
  http::Fields fields;
  for (const auto line : lines) fields.add("X-Forwarded-For", line);
  return fields;
}

TEST(TrustedProxies, TrustsNobodyUnlessTold) {
  EXPECT_FALSE(TrustedProxies({}).contains("127.0.0.1"));
  EXPECT_FALSE(TrustedProxies({"10.0.0.0/8"}).contains("unknown"));
  EXPECT_TRUE(TrustedProxies({"192.0.2.1", "10.0.0.0/8"}).contains("10.1.2.3"));
}

TEST(TrustedProxies, TakesTheLastAddressThatIsNoneOfOurs) {
  const TrustedProxies proxies({"10.0.0.0/8"});
  EXPECT_EQ(proxies.client_of(forwarded_for({"203.0.113.9"})), "203.0.113.9");
  EXPECT_EQ(proxies.client_of(forwarded_for({"1.1.1.1, 203.0.113.9, 10.0.0.2"})), "203.0.113.9");
  EXPECT_EQ(proxies.client_of(forwarded_for({"1.1.1.1", "203.0.113.9", "10.0.0.2,10.0.0.3"})), "203.0.113.9");
  EXPECT_EQ(proxies.client_of(forwarded_for({"10.0.0.9, 10.0.0.2"})), "10.0.0.9");
  EXPECT_EQ(proxies.client_of(forwarded_for({})), "");
  EXPECT_EQ(proxies.client_of(forwarded_for({"::1%eth0, 10.0.0.2"})), "10.0.0.2")
      << "a zone may hold anything";
}

TEST(TrustedProxies, LeavesPortsOutAndEndsAtWhatIsNoAddress) {
  const TrustedProxies proxies({"10.0.0.0/8", "fd00::/8"});
  EXPECT_EQ(proxies.client_of(forwarded_for({"203.0.113.9:4711"})), "203.0.113.9");
  EXPECT_EQ(proxies.client_of(forwarded_for({"[2001:db8::1]:4711, fd00::2"})), "2001:db8::1");
  EXPECT_EQ(proxies.client_of(forwarded_for({"2001:db8::1"})), "2001:db8::1");
  EXPECT_EQ(proxies.client_of(forwarded_for({"203.0.113.9, unknown, 10.0.0.2"})), "10.0.0.2");
  EXPECT_EQ(proxies.client_of(forwarded_for({"[", "]", "[]", "\"", ":"})), "");
}

http::Request request_from(std::string peer) {
  http::Request request;
  request.peer_address = std::move(peer);
  request.head.fields.add("X-Forwarded-For", "203.0.113.9");
  request.head.fields.add("X-Request-Id", "theirs");
  return request;
}

TEST(Identity, BelievesATrustedPeerOnly) {
  config::Settings settings;
  settings.listen.trusted_proxies = {"192.0.2.0/24"};
  const Identity identity(settings);
  RequestIds ids;
  auto ours = request_from("192.0.2.1");
  identity.establish(ours, ids);
  EXPECT_TRUE(ours.trusted);
  EXPECT_EQ(ours.client(), "203.0.113.9");
  EXPECT_EQ(ours.id, "theirs");
  auto other = request_from("198.51.100.1");
  identity.establish(other, ids);
  EXPECT_FALSE(other.trusted);
  EXPECT_EQ(other.client(), "198.51.100.1");
  EXPECT_EQ(other.id.size(), 15u);
}

TEST(Identity, TakesAnybodysRequestIdWhenTold) {
  config::Settings settings;
  settings.log.accept_request_id = true;
  RequestIds ids;
  auto request = request_from("198.51.100.1");
  Identity(settings).establish(request, ids);
  EXPECT_EQ(request.id, "theirs");
  settings.log.request_id = false;
  auto unnamed = request_from("198.51.100.1");
  Identity(settings).establish(unnamed, ids);
  EXPECT_EQ(unnamed.id, "");
}

}  // namespace
}  // namespace tessera::proxy
