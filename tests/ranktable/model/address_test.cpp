// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/address.h"

#include <gtest/gtest.h>

namespace adarun::ranktable {
namespace {

TEST(Address, IsReadAndWrittenInItsUsualForm) {
  const struct {
    const char* text;
    const char* usual;
  } cases[] = {{"10.0.0.2", "10.0.0.2"},
               {"255.255.255.255", "255.255.255.255"},
               {"fe80::1", "fe80::1"},
               {"FE80:0:0:0:0:0:0:0001", "fe80::1"},
               {"::", "::"},
               {"::ffff:10.0.0.2", "::ffff:10.0.0.2"}};
  for (const auto& taken : cases) {
    const auto address = parse_address(taken.text);
    ASSERT_TRUE(address) << taken.text;
    EXPECT_EQ(canonical(*address), taken.usual);
  }
}

TEST(Address, IsNothingElse) {
  for (const std::string text :
       {"", " 10.0.0.2", "10.0.0.2 ", "10.0.0", "10.0.0.256", "010.0.0.2", "1.2.3.4.5", "0x0a000002", "fe80",
        "fe80::1%eth0", "fe80::1/64", "1::2::3", "node1", "-.-.-.-"})
    EXPECT_FALSE(parse_address(text)) << text;
  EXPECT_FALSE(parse_address(std::string_view("10.0.0.2\0x", 10)));
}

TEST(Address, OrdersByValue) {
  EXPECT_LT(*parse_address("10.0.0.2"), *parse_address("10.0.0.10"));
  EXPECT_LT(*parse_address("10.0.0.2"), *parse_address("::1"));
}

TEST(Placeholder, IsWhatToolsWriteForAnUnknownAddress) {
  for (const char* text : {"-.-.-.-", "-1", "10.*.*.*", "*"}) EXPECT_TRUE(is_placeholder(text)) << text;
  for (const char* text : {"", "10.0.0.2", "node-1", "fe80::1"}) EXPECT_FALSE(is_placeholder(text)) << text;
}

}  // namespace
}  // namespace adarun::ranktable
