// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/hashed_name.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::launcher {
namespace {

// The name "node1", hashed by ssh-keygen -H.
constexpr const char* hashed_by_keygen = "|1|T9HCE9Q0jLoaEV8t+w7C8g/kzok=|gXhNROiV7RQlz6Z+bYdxB0uUirs=";

TEST(HashedName, IsOfItsNameAlone) {
  const auto hashed = HashedName::parse(hashed_by_keygen);
  ASSERT_TRUE(hashed);
  EXPECT_TRUE(hashed->is_of("node1"));
  EXPECT_TRUE(hashed->is_of("node1")) << "once more";
  EXPECT_FALSE(hashed->is_of("node2"));
  EXPECT_FALSE(hashed->is_of(""));
}

TEST(HashedName, IsNothingElse) {
  const std::string salt = "T9HCE9Q0jLoaEV8t+w7C8g/kzok=";
  const std::string hash = "gXhNROiV7RQlz6Z+bYdxB0uUirs=";
  for (const std::string& text :
       {std::string(), std::string("node1"), std::string("|1|"), "|1|" + salt, "|1|" + salt + "|",
        "|2|" + salt + "|" + hash, "|1|" + salt + "|" + hash.substr(1), "|1|" + salt + "|AAAA",
        "|1|AAAA|" + hash, "|1|" + salt + "|" + hash + "|" + hash, "|1|" + salt + "|*" + hash.substr(1)})
    EXPECT_FALSE(HashedName::parse(text)) << text;
}

}  // namespace
}  // namespace adarun::launcher
