// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/log_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/parse/keyword.h"
#include "monitor/parse/scan.h"
#include "tests/monitor/parse/loss_lines.h"

namespace adarun::monitor {
namespace {

using Said = std::vector<std::variant<LossLine, MetricLine>>;

bool same(const Said& left, const Said& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto* loss = std::get_if<LossLine>(&left[i]);
    const auto* other = std::get_if<LossLine>(&right[i]);
    if (loss != nullptr && other != nullptr ? !same(*loss, *other) : left[i] != right[i]) return false;
  }
  return true;
}

Said read(const std::vector<std::string>& pieces) {
  Said said;
  const LogListener listener{[&](const LossLine& line) { said.emplace_back(line); },
                             [&](const MetricLine& line) { said.emplace_back(line); }};
  LogReader reader;
  for (const std::string& piece : pieces) reader.feed(piece, listener);
  reader.finish(listener);
  return said;
}

// Each line parsed by itself, but for the epoch that a line before it tells.
Said read_slowly(const std::string& text) {
  Said said;
  EpochHeading heading;
  LossLine above;  // The place in the last line that is not indented.
  base::LineCutter cutter(base::log_lines);
  const auto take = [&](std::string_view line) {
    LineLosses losses = parse_losses(line);
    const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
    std::string buffer;
    const std::string_view shown = visible_text(line, buffer);
    if (!is_indented)
      above = find_keyword(shown, 0) == std::string_view::npos ? parse_place(shown) : LossLine{};
    if (losses.training) {
      if (is_indented && !losses.training->epoch && !losses.training->step) {
        above.loss = losses.training->loss;
        losses.training = above;
      }
      if (is_indented) above = {};
      if (!heading.holds_for(*losses.training) || heading.complete(*losses.training))
        said.emplace_back(*losses.training);
    } else if (const auto metrics = parse_metric_line(line)) {
      said.emplace_back(*metrics);
    } else if (const auto epoch = parse_epoch_line(line)) {
      heading.begin(*epoch);
    }
    if (losses.validation && heading.holds_for(*losses.validation)) heading.complete(*losses.validation);
  };
  cutter.feed_each(text, take);
  cutter.finish_each(take);
  return said;
}

std::vector<std::string> all_lines() {
  std::vector<std::string> lines;
  for (const Accepted& each : accepted) lines.push_back(each.text);
  for (const std::string& each : refused) lines.push_back(each);
  for (const char* each :
       {"Train epoch time: 1234.567 ms, per step time: 12.345 ms", "throughput: 1234.5 images/s",
        "Accuracy: 9850/10000 (98%)", "test_accuracy: 0.98", "epoch 3, TIME 5", "a process class",
        "epoch: 1 step: 2, loss is 3 (4.5e+00)", "step 3 loss 2.5 time 12:34:56"})
    lines.emplace_back(each);
  return lines;
}

// Digits and spaces are changed, doubled or removed, other characters less often.
std::string changed(const std::string& line, std::minstd_rand& chance) {
  std::string other;
  for (const char c : line) {
    const bool digit = c >= '0' && c <= '9';
    const auto drawn = chance() % 100;
    if (digit && drawn < 60)
      other += static_cast<char>('0' + chance() % 10);
    else if (!digit && drawn == 99)
      other += "+-. ,:]e%\r\x1b/xN"[chance() % 14];
    else
      other += c;
    if ((digit || c == ' ') && drawn % 20 == 5) other += c;
    if ((digit || c == ' ') && drawn % 20 == 6) other.pop_back();
  }
  return other;
}

TEST(LogReader, SaysOfEachKnownLineWhatItsParserSays) {
  std::string text;
  for (const std::string& line : all_lines()) text += line + "\n";
  EXPECT_TRUE(same(read({text}), read_slowly(text)));
  EXPECT_GT(read({text}).size(), std::size(accepted));
}

TEST(LogReader, GivesThePlaceAboveToTheFirstLossBelowItAlone) {
  EXPECT_TRUE(
      same(read({"Step 7:\n  lr: 0.1\n  loss: 2.5\n  loss: 2.0\n  loss: 1.5\n"}),
           {LossLine{2.5, {}, 7, {}, {}}, LossLine{2, {}, {}, {}, {}}, LossLine{1.5, {}, {}, {}, {}}}));
}

TEST(LogReader, SaysTheSameWhereverTheBytesAreCut) {
  const std::string text =
      "epoch: 1 step: 1, loss is 2.5\r\nnoise\nepoch: 1 step: 2, loss is nan\n\n"
      "Train epoch time: 12.5 ms\repoch: 2 step: 1, loss is 1e-3";
  const Said whole = read_slowly(text);
  ASSERT_EQ(whole.size(), 4U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_TRUE(same(read({text.substr(0, cut), text.substr(cut)}), whole)) << cut;
}

TEST(LogReader, ReadsLinesByShapeAsWithoutOne) {
  std::minstd_rand chance(7);
  const std::vector<std::string> lines = all_lines();
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const std::string& line = lines[chance() % lines.size()];
    for (int i = 0; i < 12; ++i)
      text += changed(chance() % 8 == 0 ? lines[chance() % lines.size()] : line, chance) +
              (chance() % 9 == 0 ? "\r\n" : "\n");
    ASSERT_TRUE(same(read({text}), read_slowly(text))) << text;
  }
}

TEST(LogReader, PassesOverBytesWithoutMeaningAndFindsWhatStandsBetween) {
  std::minstd_rand chance(11);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 400; ++i)
      text += chance() % 50 == 0   ? "\nepoch: 1 step: 2, LOSS is 2.5\n"
              : chance() % 60 == 0 ? "\nEpoch Time : 3 ms\n"
                                   : std::string(1, "los timeacugh\n"[chance() % 14]);
    ASSERT_TRUE(same(read({text}), read_slowly(text))) << text;
  }
}

TEST(LogReader, CutsAnOverlongLineAndGoesOnBehindIt) {
  const std::string noise(base::log_lines.max_bytes, 'x');
  const std::string loss = "epoch: 1 step: 2, loss is 3\n";
  EXPECT_EQ(read({noise + " " + loss + loss}).size(), 1U);
  EXPECT_EQ(read({noise, " " + loss, loss}).size(), 1U);
}

TEST(LogReader, ForgetsHalfALineOnReset) {
  Said said;
  const LogListener listener{[&](const LossLine& line) { said.emplace_back(line); },
                             [](const MetricLine&) {}};
  LogReader reader;
  reader.feed("epoch: 1 step: 1, loss is 1", listener);
  reader.reset();
  reader.feed("7\nloss=2\n", listener);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(std::get<LossLine>(said[0]).loss, 2);
}

struct Losses {
  std::vector<LossLine> training;
  std::vector<LossLine> validation;
};

Losses losses_of(const std::string& text) {
  Losses losses;
  LogReader reader;
  const LogListener listener{.loss = [&](const LossLine& line) { losses.training.push_back(line); },
                             .metrics = [](const MetricLine&) {},
                             .validation = [&](const LossLine& line) { losses.validation.push_back(line); }};
  reader.feed(text, listener);
  reader.finish(listener);
  return losses;
}

TEST(EpochHeading, IsALineWithNoOtherWord) {
  const EpochLine third{3, 10};
  for (const char* text : {"Epoch 3/10", "EPOCH 3/10:", "----- Epoch [3/10] -----", "Epoch: 3/10\r\n",
                           "\x1b[1mEpoch 3/10\x1b[0m"})
    EXPECT_EQ(parse_epoch_line(text), third) << text;
  EXPECT_EQ(parse_epoch_line("Epoch 3"), (EpochLine{3, std::nullopt}));
  for (const char* text :
       {"Saved epoch 3", "Epoch 3: early stopping", "[1] Epoch 3", "Epoch 3.5", "Epoch 3 4", "Epoch",
        "Epochs 3/10", "Epoch x", "", "Epoch 99999999999999999999999"})
    EXPECT_FALSE(parse_epoch_line(text)) << text;
}

TEST(EpochHeading, TellsTheEpochOfLinesThatDoNot) {
  const Losses losses =
      losses_of("Epoch 3/10\nloss: 2\nepoch: 5 step: 1, loss is 1\nloss: 3\nepoch 4\nloss=4\nloss=5\n");
  const std::vector<LossLine> expected{
      {2, 3, {}, 10, {}}, {1, 5, 1, {}, {}}, {3, {}, {}, {}, {}}, {4, 4, {}, {}, {}}, {5, 4, {}, {}, {}}};
  EXPECT_EQ(losses.training, expected);
}

TEST(EpochHeading, TellsAnEvaluationByItsNumberOfSteps) {
  const Losses losses = losses_of(
      "Epoch 1/2\n5/5 - 1s - loss: 2\n3/3 - 1s - loss: 7\nEpoch 2/2\n4/4 - 1s - loss: 1 - val_loss: 3\n");
  const std::vector<LossLine> training{{2, 1, 5, 2, 5, {}, true}, {1, 2, 4, 2, 4, {}, true}};
  const std::vector<LossLine> validation{{7, 1, {}, 2, {}, {}, true}, {3, 2, 4, 2, {}, {}, true}};
  EXPECT_EQ(losses.training, training);
  EXPECT_EQ(losses.validation, validation);
}

TEST(EpochHeading, EndsWithItsLog) {
  std::vector<LossLine> lines;
  const LogListener listener{.loss = [&](const LossLine& line) { lines.push_back(line); },
                             .metrics = [](const MetricLine&) {}};
  LogReader reader;
  reader.feed("Epoch 3/10\n", listener);
  reader.reset();
  reader.feed("loss: 2\n", listener);
  EXPECT_EQ(lines, (std::vector<LossLine>{{2, {}, {}, {}, {}}}));
}

}  // namespace
}  // namespace adarun::monitor
