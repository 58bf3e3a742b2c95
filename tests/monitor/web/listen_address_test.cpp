// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/listen_address.h"

#include <gtest/gtest.h>

#include "monitor/base/error.h"

namespace adarun::monitor::web {
namespace {

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
