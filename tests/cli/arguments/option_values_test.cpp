// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/option_values.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

TEST(Duration, IsInSecondsWithoutAUnit) {
  const std::pair<const char*, milliseconds> cases[] = {
      {"10", 10s},    {"10s", 10s},     {"500ms", 500ms}, {"2m", 2min},
      {"1h", 1h},     {"1.5", 1500ms},  {"0", 0ms},       {"0h30m", 30min},
      {"1min", 1min}, {"1h30m", 90min}, {"1d", 24h},      {"1d2h3m4s5ms", 93'784'005ms},
      {"300h", 300h}};
  for (const auto& [text, time] : cases) EXPECT_EQ(parse_duration(text), time) << text;
}

TEST(Duration, IsNoOtherText) {
  for (const char* text : {"", "s", "-1", "10 s", "10S", "nan", "inf", "1e30", "10s5", "30m1h", "1h2h",
                           "1h-30m", "5 10s", "1h30", "1mo", "30000h"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(DurationText, IsInTheLargestUnitThatLeavesNoRest) {
  EXPECT_EQ(duration_text(1'500ms), "1500ms");
  EXPECT_EQ(duration_text(10s), "10s");
  EXPECT_EQ(duration_text(90s), "90s");
  EXPECT_EQ(duration_text(10min), "10m");
  EXPECT_EQ(duration_text(2h), "2h");
}

TEST(DurationText, IsReadBackAsTheSameTime) {
  for (const std::chrono::milliseconds time : {1ms, 999ms, 1'000ms, 61'000ms, 3'600'000ms})
    EXPECT_EQ(parse_duration(duration_text(time)), time);
}

TEST(Size, GrowsInStepsOfAThousand) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"0", 0},
                                                         {"4096", 4096},
                                                         {"10k", 10'000},
                                                         {"10M", 10'000'000},
                                                         {"1.5G", 1'500'000'000},
                                                         {"2T", 2'000'000'000'000},
                                                         {"10B", 10},
                                                         {"10MB", 10'000'000},
                                                         {"10K", 10'000},
                                                         {"1KiB", 1024},
                                                         {"1.5GiB", 1'610'612'736}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_size(text), bytes) << text;
}

TEST(Size, IsNoOtherText) {
  for (const char* text :
       {"", "k", "-1", "10m", "10Mb", "1 k", "1i", "1iB", "1GiBB", "1M5", "nan", "inf", "1e19", "9999999T"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

class QuantityOption : public testing::Test {
 protected:
  std::string refusal(const std::vector<std::string>& words) {
    return refusal_of(
        [this](CLI::App& app) {
          add_duration(app, "--wait", wait_, "");
          add_duration(app, "--lease", lease_, "", {.least = 1s});
          add_size(app, "--limit", limit_, 4096, "");
          add_number(app, "--port", port_, {1, 65535}, "");
          add_count(app, "--tail", tail_, "");
        },
        words);
  }

  milliseconds wait_{20};
  std::optional<milliseconds> lease_;
  std::optional<std::uint64_t> limit_;
  int port_ = 22;
  std::optional<std::uint64_t> tail_;
};

TEST_F(QuantityOption, KeepsTheDefaultOfWhatIsNotGiven) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(wait_, 20ms);
  EXPECT_EQ(lease_, std::nullopt);
  EXPECT_EQ(limit_, std::nullopt);
  EXPECT_EQ(port_, 22);
  EXPECT_EQ(tail_, std::nullopt);
}

TEST_F(QuantityOption, TakesWhatIsInItsBounds) {
  EXPECT_EQ(refusal({"--wait", "1ms", "--lease", "1", "--limit", "4096", "--port", "65535", "--tail", "0"}),
            "");
  EXPECT_EQ(wait_, 1ms);
  EXPECT_EQ(lease_, 1s);
  EXPECT_EQ(limit_, 4096U);
  EXPECT_EQ(port_, 65535);
  EXPECT_EQ(tail_, 0U);
}

TEST_F(QuantityOption, RefusesAllElseAndSaysWhatIsWanted) {
  const struct {
    const char* option;
    const char* value;
    const char* said;
  } cases[] = {
      {"--wait", "soon", "--wait: \"soon\": wanted a duration such as 10s, 2m or 1h30m"},
      {"--wait", "0", "--wait: \"0\": wanted a duration such as 10s, 2m or 1h30m"},
      {"--lease", "999ms", "--lease: \"999ms\": wanted at least 1 s"},
      {"--limit", "much", "--limit: \"much\": wanted a size such as 500k, 10M or 1G"},
      {"--limit", "4k", "--limit: \"4k\": wanted at least 4 kB"},
      {"--port", "0", "--port: \"0\": wanted a number from 1 to 65535"},
      {"--port", "65536", "--port: \"65536\": wanted a number from 1 to 65535"},
      {"--port", "22x", "--port: \"22x\": wanted a number from 1 to 65535"},
      {"--tail", "all", "--tail: \"all\": wanted a number such as 0 or 20"},
      {"--tail", "1.5", "--tail: \"1.5\": wanted a number such as 0 or 20"},
  };
  for (const auto& each : cases) EXPECT_EQ(refusal({each.option, each.value}), each.said);
}

enum class Side { left, right };

std::string refusal_of_side(std::optional<Side>& side, const std::vector<std::string>& words) {
  return refusal_of(
      [&side](CLI::App& app) {
        add_choice<Side>(app, "--side", side, {{"left", Side::left}, {"right", Side::right}}, "");
      },
      words);
}

TEST(Choice, IsTheValueOfItsWord) {
  std::optional<Side> side;
  EXPECT_EQ(refusal_of_side(side, {}), "");
  EXPECT_EQ(side, std::nullopt);
  EXPECT_EQ(refusal_of_side(side, {"--side", "right"}), "");
  EXPECT_EQ(side, Side::right);
}

TEST(Choice, RefusesOtherWordsAndNamesAllThatItTakes) {
  std::optional<Side> side;
  for (const std::string word : {"", "lef", "Left", "left|right"})
    EXPECT_EQ(refusal_of_side(side, {"--side", word}), "--side: \"" + word + "\": wanted left|right");
  EXPECT_EQ(side, std::nullopt);
}

TEST(Choice, ShowsItsWordsInTheHelp) {
  CLI::App app;
  std::optional<Side> side;
  add_choice<Side>(app, "--side", side, {{"left", Side::left}, {"right", Side::right}}, "");
  EXPECT_EQ(app.get_option("--side")->get_type_name(), "left|right");
}

}  // namespace

}  // namespace adarun::cli
