// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/colon_programs.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

/// The words of ours, "|" and those of the program; for refused words what was found.
std::string written_with_roles(const std::string& own, const std::string& trailing) {
  try {
    const CommandLine line = with_roles({words_in(own), words_in(trailing)});
    std::string text;
    for (const std::string& word : line.own) text += word + " ";
    text += "|";
    for (const std::string& word : line.trailing) text += " " + word;
    return text;
  } catch (const Quit& quit) {
    EXPECT_EQ(quit.status(), exit_usage);
    const std::string words = quit.what();
    return words.substr(0, words.find(": wanted -n N and a program on each side"));
  }
}

TEST(ColonPrograms, AreRolesOfConsecutiveRanks) {
  EXPECT_EQ(written_with_roles("launch -n 1 --hosts a:8", "./a -x : -n 3 ./b : -np 2 ./c -n 4"),
            "launch --hosts a:8 --ranks 6 --role app0=0 | ./a -x --role app1=1-3 -- ./b --role app2=4-5 -- "
            "./c -n 4");
  EXPECT_EQ(written_with_roles("launch --ranks 2", "a : --ranks 1 b"),
            "launch --ranks 3 --role app0=0-1 | a --role app1=2 -- b");
  for (const std::string count : {"-n2", "-n=2", "--ranks=2", "-np 2"})
    EXPECT_EQ(written_with_roles("launch " + count, "a : -n 1 b"),
              "launch --ranks 3 --role app0=0-1 | a --role app1=2 -- b");
}

TEST(ColonPrograms, AreSeenByTheirColon) {
  EXPECT_TRUE(has_colon_programs({{"launch"}, {"a", ":", "b"}}));
  EXPECT_FALSE(has_colon_programs({{"launch"}, {"a:", "b"}}));
}

TEST(ColonPrograms, WantACountEach) {
  EXPECT_EQ(written_with_roles("launch", "a : -n 1 b"), "\":\": no -n before the first program");
  EXPECT_EQ(written_with_roles("launch -n", "a : -n 1 b"), "\":\": no -n before the first program");
  EXPECT_EQ(written_with_roles("launch -n x", "a : -n 1 b"), "\":\": -n \"x\"");
  EXPECT_EQ(written_with_roles("launch -n 1", "a : b"), "\":\": \"b\" behind it");
  EXPECT_EQ(written_with_roles("launch -n 1", "a : -n"), "\":\": \"-n\" behind it");
  EXPECT_EQ(written_with_roles("launch -n 1", "a : -n 0 b"), "\":\": -n \"0\"");
  EXPECT_EQ(written_with_roles("launch -n 1", "a : -n 1"), "\":\": no program behind -n");
  EXPECT_EQ(written_with_roles("launch -n 1", "a : -n 1 -x A b"), "\":\": \"-x\" before a program");
  EXPECT_EQ(written_with_roles("launch -n 1", "a :"), "\":\": nothing behind it");
  EXPECT_EQ(written_with_roles("launch -n 1", ": -n 1 b"), "\":\": nothing before it");
}

}  // namespace
}  // namespace adarun::cli
