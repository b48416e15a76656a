#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/validation.h"
#include "tests/config/faults.h"

namespace tessera::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRoute = "[[route]]\nname = \"a\"\npath = \"/{tenant}/courses\"\n";

TEST(ClashCheck, FindsNothingInTheDefaults) {
  EXPECT_THAT(texts_of(validate(Settings{}, "test.toml")), IsEmpty());
  EXPECT_THAT(all_faults_of(default_toml()), IsEmpty());
}

TEST(ClashCheck, WantsATokenWhereAdminIsOpenToOthers) {
  for (const std::string address : {"0.0.0.0:9080", "[::]:9080", "10.0.0.1:9080", "admin.example.com:9080"}) {
    const auto file = "[admin]\naddress = \"" + address + "\"\n";
    EXPECT_THAT(all_faults_of(file),
                ElementsAre(HasSubstr("there is no admin.token; set a token, or listen on 127.0.0.1")));
    EXPECT_THAT(all_faults_of(file + "token = \"t\"\n"), IsEmpty());
  }
  for (const std::string address : {"127.0.0.1:9081", "[::1]:9080", "localhost:9080"}) {
    EXPECT_THAT(all_faults_of("[admin]\naddress = \"" + address + "\"\n"), IsEmpty());
  }
}

TEST(ClashCheck, KeepsListenerAdminAndOriginApart) {
  EXPECT_THAT(all_faults_of("[admin]\naddress = \"127.0.0.1:8080\"\n"),
              ElementsAre(HasSubstr("is also listen.address")));
  EXPECT_THAT(all_faults_of("[listen]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n"),
              IsEmpty());
  EXPECT_THAT(all_faults_of("[origin]\nurl = \"http://127.0.0.1:8080/\"\n"),
              ElementsAre(HasSubstr("an address of the proxy's own")));
  EXPECT_THAT(all_faults_of("[origin]\nurl = \"https://127.0.0.1:8080/\"\n"),
              ElementsAre(HasSubstr("an address of the proxy's own")));
  EXPECT_THAT(all_faults_of("[origin]\nurl = [\"http://a:1\", \"http://127.0.0.1:8080\"]\n"),
              ElementsAre(HasSubstr("an address of the proxy's own")));
}

TEST(ClashCheck, KnowsItsOwnTlsAddress) {
  EXPECT_THAT(all_faults_of("[tls]\naddress = \"127.0.0.1:8443\"\ncertificates = [\"a.pem\"]\n"
                            "[origin]\nurl = \"https://127.0.0.1:8443\"\n"),
              ElementsAre(HasSubstr("an address of the proxy's own")));
}

TEST(ClashCheck, BelievesNoTrustedProxyThatAnybodyCanCallHimself) {
  const std::string trusting = "[listen]\nproxy_protocol = \"required\"\ntrusted_proxies = [\"10.0.0.1\"]\n";
  EXPECT_THAT(all_faults_of(trusting), ElementsAre(HasSubstr("listen.proxy_protocol_from")));
  EXPECT_THAT(all_faults_of(trusting + "proxy_protocol_from = [\"10.0.0.1\"]\n"), IsEmpty());
}

TEST(ClashCheck, WantsOriginsToBeDifferentAndNotTooMany) {
  EXPECT_THAT(all_faults_of("[origin]\nurl = [\"http://a:1\", \"http://b:1\", \"http://a:1\"]\n"),
              ElementsAre(HasSubstr("origin.url names \"http://a:1\" twice")));
  std::string many = "[origin]\nurl = [\"http://a\"";
  for (int i = 1; i < 65; ++i) many += ", \"http://a:" + std::to_string(i + 100) + "\"";
  EXPECT_THAT(all_faults_of(many + "]\n"), ElementsAre(HasSubstr("more than 64 origins")));
  EXPECT_THAT(all_faults_of("[origin]\nurl = []\n"), ElementsAre(HasSubstr("url = [] may not be empty")));
}

TEST(ClashCheck, WantsTlsWhereCertificatesAreNamed) {
  EXPECT_THAT(all_faults_of("[redis]\naddress = \"redis://h:1\"\nca_file = \"/x.pem\"\n"),
              ElementsAre(HasSubstr("is used with TLS only")));
  EXPECT_THAT(all_faults_of("[redis]\naddress = \"rediss://h:1\"\nca_file = \"/x.pem\"\n"), IsEmpty());
  EXPECT_THAT(all_faults_of("[redis]\nca_file = \"/x.pem\"\n"), IsEmpty());
}

TEST(ClashCheck, WantsWhatBelongsToATlsListener) {
  const std::string tls = "[tls]\naddress = \"127.0.0.1:8443\"\n";
  const std::string files = "certificates = [\"a.pem\", \"b.pem\"]\n";
  EXPECT_THAT(all_faults_of(tls + files), IsEmpty());
  EXPECT_THAT(all_faults_of(tls + files + "keys = [\"a.key\", \"b.key\"]\n"), IsEmpty());
  EXPECT_THAT(all_faults_of(tls), ElementsAre(HasSubstr("tls.certificates is empty")));
  EXPECT_THAT(all_faults_of(tls + files + "keys = [\"a.key\"]\n"),
              ElementsAre(HasSubstr("must have one key for each")));
  EXPECT_THAT(all_faults_of(tls + files + "client_auth = \"require\"\n"),
              ElementsAre(HasSubstr("needs tls.client_ca")));
  EXPECT_THAT(all_faults_of("[tls]\naddress = \"127.0.0.1:8080\"\n" + files),
              ElementsAre(HasSubstr("is taken by another listener")));
  EXPECT_THAT(all_faults_of("[origin]\ntls_key = \"k.pem\"\n"),
              ElementsAre(HasSubstr("has no origin.tls_certificate")));
}

TEST(ClashCheck, WantsEachRouteToHaveANameAndAPathOfItsOwn) {
  EXPECT_THAT(all_faults_of(kRoute + "[[route]]\nname = \"a\"\npath = \"/b\"\n"),
              ElementsAre(HasSubstr("route \"a\" is there already")));
  EXPECT_THAT(all_faults_of(kRoute + "[[route]]\nname = \"b\"\npath = \"/{tenant}/courses\"\n"),
              ElementsAre(HasSubstr("is never reached, as route \"a\"")));
}

TEST(ClashCheck, WantsTemplatesToKnowTheirNames) {
  EXPECT_THAT(
      all_faults_of(
          kRoute +
          "records = \"/{tenant}/records?{query}&ids={ids}\"\nmanifest = \"{path}/manifest?{query}\"\n"),
      IsEmpty());
  EXPECT_THAT(all_faults_of(kRoute + "records = \"{path}?x=1\"\n"),
              ElementsAre(HasSubstr("must hold {ids} once")));
  EXPECT_THAT(all_faults_of(kRoute + "records = \"{path}?a={ids}&b={ids}\"\n"),
              ElementsAre(HasSubstr("must hold {ids} once")));
  EXPECT_THAT(all_faults_of(kRoute + "records = \"{path}?ids={ids}&t={tennant}\"\n"),
              ElementsAre(HasSubstr(
                  "has {tennant}, which is not known here; known are {tenant}, {path}, {query}, {ids}")));
  EXPECT_THAT(all_faults_of(kRoute + "records = \"{path}?ids={ids\"\n"),
              ElementsAre(HasSubstr("has a brace without its partner")));
  EXPECT_THAT(all_faults_of(kRoute + "manifest = \"{path}?ids={ids}\"\n"),
              ElementsAre(HasSubstr("has {ids}, which is not known here")));
  EXPECT_THAT(all_faults_of(kRoute + "manifest = \"acept\"\n"),
              ElementsAre(HasSubstr("manifest = \"acept\" must start with")));
}

TEST(ClashCheck, WantsIncludedBesideTheArrayOfRecords) {
  EXPECT_THAT(all_faults_of(kRoute + "types = { slide = \"fast_slide\" }\n"),
              ElementsAre(HasSubstr("there is no `included`")));
  EXPECT_THAT(all_faults_of(kRoute + "array = \"/data\"\nincluded = \"/data\"\n"),
              ElementsAre(HasSubstr("is also `array`")));
}

TEST(ClashCheck, RefusesTheMaskInPlaceOfASecret) {
  EXPECT_THAT(all_faults_of("[admin]\ntoken = \"***\"\n"),
              ElementsAre(HasSubstr("admin.token is what --check prints")));
  EXPECT_THAT(all_faults_of("[redis]\nsecret = \"***\"\n"),
              ElementsAre(HasSubstr("redis.secret is what --check prints")));
  EXPECT_THAT(all_faults_of("[redis]\naddress = \"redis://u:***@h:1\"\n"),
              ElementsAre(HasSubstr("write the secret itself")));
}

TEST(ClashCheck, ReportsFaultsOfValuesAndOfRelationsTogether) {
  Settings settings;
  settings.admin.address = "0.0.0.0:9080";
  settings.redis.ttl = Millis{0};
  settings.routes.resize(1);
  EXPECT_THAT(texts_of(validate(settings, "made by hand")),
              ElementsAre(HasSubstr("redis.ttl = \"0s\" is out of range"), HasSubstr("route 1: name"),
                          HasSubstr("route 1: path"), HasSubstr("made by hand: admin.address")));
}

}  // namespace
}  // namespace tessera::config
