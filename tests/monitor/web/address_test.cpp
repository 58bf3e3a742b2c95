// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/address.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"

namespace adarun::monitor::web {
namespace {

TEST(Address, ReadsAddressesAndPorts) {
  EXPECT_EQ(parse_address("127.0.0.1:0"), (Address{"127.0.0.1", 0}));
  EXPECT_EQ(parse_address("8080"), (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(parse_address("localhost:65535"), (Address{"127.0.0.1", 65535}));
  EXPECT_EQ(parse_address("[::1]:80"), (Address{"::1", 80}));
  EXPECT_EQ(parse_address("0.0.0.0:80"), (Address{"0.0.0.0", 80}));
}

TEST(Address, RefusesWhatIsNone) {
  for (const char* text :
       {"", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "1.2.3:80", "::1:80",
        "[::1]", "[::1:80", "[1.2.3.4]:80", "node1:80", "127.0.0.1:80x", "80 "})
    EXPECT_THROW(parse_address(text), Error) << text;
}

TEST(Address, KnowsWhatOnlyThisMachineReaches) {
  EXPECT_TRUE((Address{"127.0.3.4", 0}.is_loopback()));
  EXPECT_TRUE((Address{"::1", 0}.is_loopback()));
  EXPECT_FALSE((Address{"0.0.0.0", 0}.is_loopback()));
  EXPECT_FALSE((Address{"10.0.0.1", 0}.is_loopback()));
  EXPECT_FALSE((Address{"::", 0}.is_loopback()));
}

TEST(Address, IsWrittenAsAnUrl) {
  EXPECT_EQ(url_of({"127.0.0.1", 80}), "http://127.0.0.1:80/");
  EXPECT_EQ(url_of({"::1", 8080}), "http://[::1]:8080/");
}

}  // namespace
}  // namespace adarun::monitor::web
