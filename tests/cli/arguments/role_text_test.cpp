// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/role_text.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/cli/quit_message.h"

namespace adarun::cli {
namespace {

std::string refusal_of_text(const std::string& text) {
  return quit_message([&text] { read_role(text); });
}

TEST(RoleText, MayEndWithAPolicy) {
  const launcher::Role role = read_role("proxy=0,2-3:background,optional,restarts=12");
  EXPECT_EQ(role.name, "proxy");
  EXPECT_EQ(role.ranks, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(role.policy, (launcher::RolePolicy{true, true, 12}));
  EXPECT_EQ(read_role("a=1").policy, launcher::RolePolicy{});
  EXPECT_EQ(read_role("a=1:optional").policy, (launcher::RolePolicy{false, true, 0}));
}

TEST(RoleText, NamesAWordThatIsNoPolicy) {
  const auto line = [](const std::string& text, const std::string& word) {
    return "--role \"" + text + "\": \"" + word + "\": wanted background, optional or restarts=N";
  };
  for (const std::string word : {"", "Background", "restarts", "restarts=", "restarts=-1", "restarts=x",
                                 "restarts=1000001", "restarts=1x"}) {
    EXPECT_EQ(refusal_of_text("a=0:" + word), line("a=0:" + word, word));
    EXPECT_EQ(refusal_of_text("a=0:optional," + word + ",background"),
              line("a=0:optional," + word + ",background", word));
  }
  EXPECT_EQ(refusal_of_text("a=0:optional,"), line("a=0:optional,", ""));
}

TEST(RoleText, WantsRanksBeforeIt) {
  EXPECT_EQ(refusal_of_text("a=:optional"), "--role a: \"\": wanted ranks such as 0,3 or 0-7,12");
  EXPECT_EQ(refusal_of_text("a:optional"),
            "--role \"a:optional\": wanted NAME=RANKS such as decode=8-15, a NAME of letters, digits, - and "
            "_, a letter first");
}

}  // namespace
}  // namespace adarun::cli
