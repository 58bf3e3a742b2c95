// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_line.h"

#include <algorithm>
#include <array>

#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

struct Counted {
  std::uint64_t value = 0;
  std::optional<std::uint64_t> total;
};

bool is_one_of(std::string_view word, const auto& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view each) { return same_word(word, each); });
}

bool is_epoch(std::string_view word) {
  return same_word(word, "epoch");
}

bool is_step(std::string_view word) {
  constexpr std::array<std::string_view, 5> words{"step", "iter", "iteration", "batch", "global_step"};
  return is_one_of(word, words);
}

// Not where it is a part of a path: "test/run.py".
bool says_not_training(std::string_view word, const Scan& behind) {
  constexpr std::array<std::string_view, 8> words{"test",  "eval",       "evaluation", "val",
                                                  "valid", "validation", "average",    "avg"};
  const std::string_view next = behind.rest().substr(0, 1);
  return next != "/" && next != "." && is_one_of(word, words);
}

// 100, 100/312, [100], [100/312]
std::optional<Counted> take_counted(Scan& scan) {
  Scan ahead = scan;
  const bool bracket = ahead.take('[');
  ahead.skip_spaces();
  const auto value = ahead.take_count();
  if (!value) return std::nullopt;
  Counted counted{*value, std::nullopt};
  ahead.skip_spaces();
  if (ahead.take('/')) {
    ahead.skip_spaces();
    counted.total = ahead.take_count();
    if (!counted.total) return std::nullopt;
    ahead.skip_spaces();
  }
  if (bracket && !ahead.take(']')) return std::nullopt;
  scan = ahead;
  return counted;
}

// What follows the word "epoch" or "step": an optional closing quote and one separator, then the count.
std::optional<Counted> take_labelled(Scan& scan) {
  Scan ahead = scan;
  if (!ahead.take('\'')) ahead.take('"');
  ahead.skip_spaces();
  if (!ahead.take(':')) ahead.take('=');
  ahead.skip_spaces();
  const auto counted = take_counted(ahead);
  if (counted) scan = ahead;
  return counted;
}

void take_epoch(Scan& scan, LossLine& line) {
  const auto epoch = take_labelled(scan);
  if (!epoch) return;
  line.epoch = epoch->value;
  line.epochs = epoch->total;
  Scan ahead = scan;  // "Epoch: [1][ 100/312]"
  ahead.take(' ');
  if (line.step || ahead.rest().substr(0, 1) != "[") return;
  if (const auto step = take_counted(ahead); step && step->total) {
    line.step = step->value;
    line.steps_per_epoch = step->total;
    scan = ahead;
  }
}

void take_step(Scan& scan, LossLine& line) {
  const auto step = take_labelled(scan);
  if (!step) return;
  line.step = step->value;
  line.steps_per_epoch = step->total;
}

// "is", ':' or '=' between the word and its value; without any, only `bare` lines count.
bool take_separator(Scan& scan, bool bare) {
  if (!scan.take('\'')) scan.take('"');
  scan.skip_spaces();
  if (scan.take(':') || scan.take('=')) return true;
  if (scan.rest().substr(0, 3) == "is " || scan.rest().substr(0, 3) == "is\t") {
    scan.next_word();
    return true;
  }
  return bare;
}

std::optional<double> take_loss(Scan& scan, const LossLine& line) {
  Scan ahead = scan;
  if (!take_separator(ahead, line.epoch || line.step)) return std::nullopt;
  ahead.skip_spaces();
  if (ahead.rest().substr(0, 7) == "tensor(") {
    ahead.next_word();
    ahead.take('(');
  }
  const auto loss = ahead.take_value();
  if (loss) scan = ahead;
  return loss;
}

}  // namespace

std::optional<LossLine> parse_loss_line(std::string_view text) {
  std::string buffer;
  Scan scan(visible_text(text, buffer));
  LossLine line;
  std::optional<double> loss;
  for (std::string_view word = scan.next_word(); !word.empty(); word = scan.next_word()) {
    if (is_epoch(word) && !line.epoch) {
      take_epoch(scan, line);
    } else if (is_step(word) && !line.step) {
      take_step(scan, line);
    } else if (!loss && same_word(word, "loss")) {
      loss = take_loss(scan, line);
    } else if (!loss && says_not_training(word, scan)) {
      return std::nullopt;
    }
  }
  if (!loss) return std::nullopt;
  line.loss = *loss;
  return line;
}

}  // namespace adarun::monitor
