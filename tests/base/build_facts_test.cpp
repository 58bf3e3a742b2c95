// SPDX-License-Identifier: Apache-2.0
#include "base/build_facts.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/version.h"

namespace adarun::base {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BuildFacts, BeginWithTheLineThatOthersRelyOn) {
  EXPECT_EQ(lines_of(text("adarun-agent")).front(), "adarun-agent " + base::version());
}

TEST(BuildFacts, StandInColumnsWithWhatTheProgramAdds) {
  const std::vector<std::string> lines = lines_of(text("adarun", {{"a long name", "1.2"}, {"b", "3"}}));
  ASSERT_GE(lines.size(), 7U);
  EXPECT_EQ(lines[lines.size() - 2], "a long name  1.2");
  EXPECT_EQ(lines.back(), "b            3");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].substr(11, 2), "  ") << lines[i];
    EXPECT_NE(lines[i].at(13), ' ') << lines[i];
  }
}

TEST(BuildFacts, NameNoPath) {
  const std::string all = text("adarun");
  EXPECT_EQ(all.find('/'), std::string::npos) << all;
  EXPECT_NE(all.find("\nC library  glibc "), std::string::npos) << all;
}

TEST(BuildFacts, TellTwoVersionsOfALibraryApart) {
  EXPECT_EQ(library_version("0.10.6", "0.10.6"), "0.10.6");
  EXPECT_EQ(library_version("0.10.6", "0.10.4"), "0.10.6, built with 0.10.4");
}

}  // namespace
}  // namespace adarun::base
