// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/access_policy.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"

namespace adarun::monitor::web {
namespace {

AccessRequest plain(const std::string& host) {
  return {"GET", host, "", "", "", ""};
}

TEST(AccessPolicy, AnswersUnderTheNamesOfThisMachine) {
  const AccessPolicy policy("", "node1");
  for (const char* host : {"127.0.0.1:80", "127.0.0.1", "localhost:80", "LOCALHOST", "[::1]:80", "[::1]",
                           "10.1.2.3:80", "node1:80", "Node1"})
    EXPECT_EQ(policy.decide(plain(host)).status, 200) << host;
}

// A site that makes its own name resolve to this machine (DNS rebinding) could otherwise read everything.
TEST(AccessPolicy, RefusesNamesThatAreNotThisMachines) {
  const AccessPolicy policy("", "node1");
  for (const char* host :
       {"", "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
        "node1.evil.example", "[::1", "[", "[]:80", ":80", "127.0.0.1@evil.example"}) {
    const AccessDecision decision = policy.decide(plain(host));
    EXPECT_EQ(decision.status, 421) << host;
    EXPECT_NE(decision.words, "");
  }
  EXPECT_EQ(AccessPolicy("", "").decide(plain("")).status, 421);
}

TEST(AccessPolicy, OnlyReads) {
  const AccessPolicy policy("", "");
  AccessRequest asked = plain("localhost");
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", ""}) {
    asked.method = method;
    EXPECT_EQ(policy.decide(asked).status, 405) << method;
  }
  asked.method = "HEAD";
  EXPECT_EQ(policy.decide(asked).status, 200);
}

TEST(AccessPolicy, RefusesPagesOfOtherSites) {
  const AccessPolicy policy("", "");
  AccessRequest asked = plain("localhost");
  for (const auto& [site, status] :
       {std::pair("cross-site", 403), {"same-site", 403}, {"same-origin", 200}, {"none", 200}}) {
    asked.fetch_site = site;
    EXPECT_EQ(policy.decide(asked).status, status) << site;
  }
}

TEST(AccessPolicy, WantsTheTokenWhereThereIsOne) {
  const AccessPolicy policy("abc", "");
  AccessRequest asked = plain("10.0.0.1");
  EXPECT_EQ(policy.decide(asked).status, 403);
  for (const char* wrong : {"ab", "abcd", "abd", "ABC"}) {
    asked.token = wrong;
    EXPECT_EQ(policy.decide(asked).status, 403) << wrong;
  }
  asked.token = "abc";
  EXPECT_EQ(policy.decide(asked).status, 200);
}

TEST(AccessPolicy, TakesTheTokenAsCookieAndAsBearer) {
  const AccessPolicy policy("abc", "");
  AccessRequest asked = plain("10.0.0.1");
  const std::string cookie = policy.cookie(80);
  asked.cookie = "x=1; adarun_81=other; " + cookie.substr(0, cookie.find(';'));
  EXPECT_EQ(policy.decide(asked).status, 200) << asked.cookie;
  EXPECT_NE(cookie.find("HttpOnly; SameSite=Strict"), std::string::npos);
  for (const char* wrong : {"adarun_80=ab", "other=abc", "abc", "=abc", ";;;", "adarun_80"}) {
    asked.cookie = wrong;
    EXPECT_EQ(policy.decide(asked).status, 403) << wrong;
  }
  asked.authorization = "Bearer abc";
  EXPECT_EQ(policy.decide(asked).status, 200);
  asked.authorization = "Basic abc";
  EXPECT_EQ(policy.decide(asked).status, 403);
}

TEST(ListenAddress, ReadsAddressesAndPorts) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:0"), (ListenAddress{"127.0.0.1", 0}));
  EXPECT_EQ(parse_listen_address("8080"), (ListenAddress{"127.0.0.1", 8080}));
  EXPECT_EQ(parse_listen_address("localhost:65535"), (ListenAddress{"127.0.0.1", 65535}));
  EXPECT_EQ(parse_listen_address("[::1]:80"), (ListenAddress{"::1", 80}));
  EXPECT_EQ(parse_listen_address("0.0.0.0:80"), (ListenAddress{"0.0.0.0", 80}));
}

TEST(ListenAddress, RefusesWhatIsNone) {
  for (const char* text :
       {"", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "1.2.3:80", "::1:80",
        "[::1]", "[::1:80", "[1.2.3.4]:80", "node1:80", "127.0.0.1:80x", "80 "})
    EXPECT_THROW(parse_listen_address(text), Error) << text;
}

TEST(ListenAddress, KnowsWhatOnlyThisMachineReaches) {
  EXPECT_TRUE((ListenAddress{"127.0.3.4", 0}.is_loopback()));
  EXPECT_TRUE((ListenAddress{"::1", 0}.is_loopback()));
  EXPECT_FALSE((ListenAddress{"0.0.0.0", 0}.is_loopback()));
  EXPECT_FALSE((ListenAddress{"10.0.0.1", 0}.is_loopback()));
  EXPECT_FALSE((ListenAddress{"::", 0}.is_loopback()));
}

TEST(ListenAddress, IsWrittenAsAnUrl) {
  EXPECT_EQ(url_of({"127.0.0.1", 80}), "http://127.0.0.1:80/");
  EXPECT_EQ(url_of({"::1", 8080}), "http://[::1]:8080/");
}

}  // namespace
}  // namespace adarun::monitor::web
