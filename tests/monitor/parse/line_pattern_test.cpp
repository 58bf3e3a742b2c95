// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/line_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/base/error.h"
#include "monitor/parse/log_reader.h"
#include "tests/monitor/parse/loss_lines.h"

namespace adarun::monitor {
namespace {

std::string complaint(const std::string& pattern) {
  try {
    const LinePattern made(pattern);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(LinePattern, FindsTheValuesThatItsGroupsName) {
  const LinePattern pattern(
      R"(it (?<step>\d+)/(?<steps>\d+) of (?P<epoch>\d+) .*train=(?<loss>\S+) lr=(?<lr>\S+))");
  const auto reading = pattern.read("it 7/312 of 3 (x) train=2.5e-1 lr=0.05");
  ASSERT_TRUE(reading && reading->loss && reading->metrics);
  EXPECT_TRUE(same(*reading->loss, {0.25, 3, 7, none, 312}));
  EXPECT_EQ(reading->metrics->learning_rate, 0.05);
}

TEST(LinePattern, FindsALossOfAValidationWithOrWithoutAnother) {
  const LinePattern pattern(R"(s(?<step>\d+) (?:L=(?<loss>\S+) )?V=(?<validation>\S+))");
  const auto both = pattern.read("s3 L=2 V=4");
  ASSERT_TRUE(both && both->loss && both->validation);
  EXPECT_TRUE(same(*both->loss, {2, none, 3, none, none}));
  EXPECT_TRUE(same(*both->validation, {4, none, 3, none, none}));
  const auto one = pattern.read("s3 V=4");
  ASSERT_TRUE(one && one->validation);
  EXPECT_FALSE(one->loss);
  EXPECT_FALSE(pattern.read("s3 L=2 V=low"));
}

TEST(LinePattern, LooksThroughColoursAndTakesNanAndInf) {
  const LinePattern pattern("L=(?<loss>[-+.\\w]+)");
  EXPECT_TRUE(same(*pattern.read("\x1b[1mL=\x1b[32mnan\x1b[0m")->loss, {nan, none, none, none, none}));
  EXPECT_TRUE(same(*pattern.read("L=-inf")->loss, {-inf, none, none, none, none}));
  EXPECT_TRUE(same(*pattern.read("L=+1.5")->loss, {1.5, none, none, none, none}));
}

TEST(LinePattern, FindsNothingInOtherLinesAndInGroupsThatAreNoNumbers) {
  const LinePattern pattern("s(?<step>\\S*) L=(?<loss>\\S+)");
  for (const char* line : {"", "L=2", "s1 L=", "s1 L=2.3.4", "s1 L=low", "s-1 L=2", "s1.5 L=2", "s L=2"})
    EXPECT_FALSE(pattern.read(line)) << line;
}

TEST(LinePattern, FindsItsGroupsAmongOthers) {
  const LinePattern pattern(R"((a)\((?:b)[(?<](c)(?i:Loss)(?<loss>\d))");
  EXPECT_TRUE(same(*pattern.read("a(b<closs7")->loss, {7, none, none, none, none}));
}

TEST(LinePattern, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(complaint("(?<loss>\\d+)"), "none");
  EXPECT_EQ(complaint("(?P<loss>\\d+)"), "none");
  EXPECT_NE(complaint("loss \\d+").find("\"loss \\d+\": names no group; wanted (?<loss>...)"),
            std::string::npos);
  EXPECT_NE(complaint("a(?<los>\\d+)")
                .find("\"a(?<los>\\d+)\": at character 5: unknown name \"los\"; wanted one of loss, epoch"),
            std::string::npos)
      << complaint("a(?<los>\\d+)");
  EXPECT_EQ(complaint("(?<loss>a)(?<loss>b)"), "\"(?<loss>a)(?<loss>b)\": \"loss\" for a second time");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"(?<loss>a", "missing ): (?<loss>a"},
      {"(?<loss>[a)", "missing ]: [a)"},
      {"(?<loss>a**)", "bad repetition operator: **"},
      {"(?<loss>a)(?=b)", "invalid perl operator: (?="},
      {"(?<loss>a)\\1", "invalid escape sequence: \\1"}};
  for (const auto& [pattern, reason] : wrong)
    EXPECT_EQ(complaint(pattern), "\"" + pattern + "\": no regular expression: " + reason);
}

TEST(LinePattern, IsTriedBeforeTheKnownFormatsWhichAreStillRead) {
  std::vector<double> losses;
  std::optional<double> step_ms;
  const LogListener listener{[&](const LossLine& line) { losses.push_back(line.loss); },
                             [&](const MetricLine& line) { step_ms = line.step_ms; }};
  LogReader reader;
  reader.use(std::make_shared<std::vector<LinePattern>>(
      std::vector<LinePattern>{LinePattern("main=(?<loss>\\S+)"), LinePattern("took (?<time>\\S+)ms")}));
  reader.feed("loss=1 main=2\nloss=3\r\nepoch: 1 step: 1, loss is 4\nmain=5\rtook 12.5ms\nmain=6", listener);
  reader.finish(listener);
  EXPECT_EQ(losses, (std::vector<double>{2, 3, 4, 5, 6}));
  EXPECT_EQ(step_ms, 12.5);
}

TEST(LinePattern, ReadsTheLongestLineInTimeThatIsInProportionToIt) {
  const std::string line(base::log_lines.max_bytes - 1, 'y');
  EXPECT_TRUE(LinePattern("^(y*)*(y*)*(?<loss>\\d)$").read(line + "1"));
  EXPECT_FALSE(LinePattern("^(y*)*(y*)*(?<loss>\\d)$").read(line + "z"));
}

TEST(LinePattern, TakesBytesThatAreNoText) {
  EXPECT_TRUE(LinePattern("^.*\xe6\x8d\x9f=(?<loss>\\d)").read("\xff\xfe\xe6\x8d\x9f=3"));
}

}  // namespace
}  // namespace adarun::monitor
