// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/roles.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

using Texts = std::vector<std::string>;

Texts split(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

/// "NAME RANK,RANK: PROGRAM ARGS" for each role; for refused words the message.
Texts roles_in(const Texts& texts, const std::string& line) {
  Texts found;
  try {
    for (const launcher::Role& role : read_roles(texts, split(line))) {
      std::string text = role.name;
      for (const std::uint32_t rank : role.ranks) text += " " + std::to_string(rank);
      text += ":";
      for (const std::string& word : role.argv) text += " " + word;
      found.push_back(text);
    }
  } catch (const Quit& quit) {
    EXPECT_EQ(quit.status(), exit_usage);
    return {quit.what()};
  }
  return found;
}

TEST(Roles, HaveAProgramEach) {
  EXPECT_EQ(roles_in({"prefill=0,2-3"}, "./prefill --lr 1 --role decode=1,4 -- ./decode -n 2"),
            (Texts{"prefill 0 2 3: ./prefill --lr 1", "decode 1 4: ./decode -n 2"}));
  EXPECT_EQ(roles_in({"a=0"}, "x --role=b=1 -- y --role c-d_3=2 -- z"),
            (Texts{"a 0: x", "b 1: y", "c-d_3 2: z"}));
  EXPECT_EQ(roles_in({"all=0-1"}, "x"), Texts{"all 0 1: x"});
}

TEST(Roles, AreNotLookedForWithoutTheOption) {
  EXPECT_EQ(roles_in({}, "x --role b=1 -- y"), Texts{});
}

TEST(Roles, LeaveAProgramItsOwnWords) {
  EXPECT_EQ(roles_in({"a=0"}, "x --role worker y -- z --role"), Texts{"a 0: x --role worker y -- z --role"});
  EXPECT_EQ(roles_in({"a=0"}, "x --role=worker y"), Texts{"a 0: x --role=worker y"});
}

TEST(Roles, AreRefusedInOneLine) {
  const std::string form =
      ": wanted NAME=RANKS such as decode=8-15, a NAME of letters, digits, - and _, a letter first";
  for (const std::string text : {"a", "=0", "1a=0", "a b=0", "a.b=0"})
    EXPECT_EQ(roles_in({text}, "x"), Texts{"--role \"" + text + "\"" + form});
  EXPECT_NE(roles_in({std::string(64, 'a') + "=0"}, "x").front().find(form), std::string::npos);
  for (const std::string ranks : {"", "3-1", "x", "0,", "-1"})
    EXPECT_EQ(roles_in({"a=" + ranks}, "x"),
              Texts{"--role a: \"" + ranks + "\": wanted ranks such as 0,3 or 0-7,12"});
  EXPECT_EQ(roles_in({"a=0"}, "x --role b=1 -- y --role a=2 -- z"),
            Texts{"--role \"a=2\": a second role of this name"});
}

TEST(Roles, WantAProgramEach) {
  const std::string why = ": wanted -- and its program behind it";
  EXPECT_EQ(roles_in({"a=0", "b=1"}, "x"), Texts{"--role \"a=0\"" + why});
  EXPECT_EQ(roles_in({"a=0"}, "--role b=1 -- x"), Texts{"--role \"a=0\"" + why});
  EXPECT_EQ(roles_in({"a=0"}, "x --role b=1 -- --role c=2 -- y"), Texts{"--role \"b=1\"" + why});
  EXPECT_EQ(roles_in({"a=0"}, "x --role b=1 --"), Texts{"--role \"b=1\"" + why});
}

}  // namespace
}  // namespace adarun::cli
