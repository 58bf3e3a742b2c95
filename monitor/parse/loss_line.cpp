// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_line.h"

#include <algorithm>
#include <array>

#include "monitor/base/characters.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

struct Counted {
  std::uint64_t value = 0;
  std::string_view text;
  std::optional<std::uint64_t> total;
  std::string_view total_text;
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

// "test", "eval" and so on, except as part of a path: "test/run.py".
bool says_not_training(std::string_view word, const Scan& behind) {
  constexpr std::array<std::string_view, 8> words{"test",  "eval",       "evaluation", "val",
                                                  "valid", "validation", "average",    "avg"};
  const std::string_view next = behind.rest().substr(0, 1);
  return next != "/" && next != "." && is_one_of(word, words);
}

// Reads a count and sets `text` to its characters.
std::optional<std::uint64_t> take_count(Scan& scan, std::string_view& text) {
  const Scan before = scan;
  const auto count = scan.take_count();
  if (count) text = scan.since(before);
  return count;
}

// 100, 100/312, [100], [100/312]
std::optional<Counted> take_counted(Scan& scan) {
  Scan ahead = scan;
  const bool bracket = ahead.take('[');
  ahead.skip_spaces();
  Counted counted;
  const auto value = take_count(ahead, counted.text);
  if (!value) return std::nullopt;
  counted.value = *value;
  ahead.skip_spaces();
  if (ahead.take('/')) {
    ahead.skip_spaces();
    counted.total = take_count(ahead, counted.total_text);
    if (!counted.total) return std::nullopt;
    ahead.skip_spaces();
  }
  if (bracket && !ahead.take(']')) return std::nullopt;
  scan = ahead;
  return counted;
}

// Reads what follows the word "epoch" or "step": an optional closing quote and one separator, then the count.
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

/// What was found in a line so far.
struct LossMatch {
  LossLine line;
  LossPlaces places;
  std::optional<double> loss;
};

void put_step(const Counted& step, LossMatch& match) {
  match.line.step = step.value;
  match.line.steps_per_epoch = step.total;
  match.places.step = step.text;
  match.places.steps_per_epoch = step.total_text;
}

// False if no count follows the word.
bool take_epoch(Scan& scan, LossMatch& match) {
  const auto epoch = take_labelled(scan);
  if (!epoch) return false;
  match.line.epoch = epoch->value;
  match.line.epochs = epoch->total;
  match.places.epoch = epoch->text;
  match.places.epochs = epoch->total_text;
  Scan ahead = scan;  // "Epoch: [1][ 100/312]"
  ahead.skip_spaces();
  if (match.line.step || ahead.rest().substr(0, 1) != "[") return true;
  const auto step = take_counted(ahead);
  if (!step || !step->total) return false;
  put_step(*step, match);
  scan = ahead;
  return true;
}

bool take_step(Scan& scan, LossMatch& match) {
  const auto step = take_labelled(scan);
  if (step) put_step(*step, match);
  return step.has_value();
}

// Reads "is", ':' or '=' between the word and its value; without one, the result is `bare`.
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

// Whether source code follows a number, as tracebacks show it: "loss = 0.5 * (a - b)",
// "loss = 1 - ssim(a, b)". In logs '-' and '/' also stand between values.
bool goes_on_as_expression(std::string_view rest) {
  if (rest.size() < 4 || rest[0] != ' ' || rest[2] != ' ') return false;
  const std::string_view operand = rest.substr(3);
  if (rest[1] == '*' || rest[1] == '+') return is_word(operand[0]) || operand[0] == '(';
  const auto end =
      std::find_if(operand.begin(), operand.end(), [](char c) { return !is_word(c) && c != '.'; });
  return (rest[1] == '-' || rest[1] == '/') && end != operand.end() && *end == '(';
}

bool take_loss(Scan& scan, LossMatch& match) {
  Scan ahead = scan;
  if (!take_separator(ahead, match.line.epoch || match.line.step)) return false;
  ahead.skip_spaces();
  if (ahead.rest().substr(0, 7) == "tensor(") {
    ahead.next_word();
    ahead.take('(');
  }
  const Scan before = ahead;
  const std::optional<double> loss = ahead.take_value();
  const bool in_a_step = match.line.epoch || match.line.step;
  if (!loss || (!in_a_step && goes_on_as_expression(ahead.rest()))) return false;
  match.loss = loss;
  match.places.loss = ahead.since(before);
  scan = ahead;
  return true;
}

}  // namespace

std::optional<LossLine> parse_loss_line(std::string_view text, LossPlaces& places) {
  std::string buffer;
  Scan scan(visible_text(text, buffer));
  LossMatch match;
  bool refused = false;
  for (std::string_view word = scan.next_word(); !word.empty(); word = scan.next_word()) {
    if (is_epoch(word) && !match.line.epoch) {
      refused |= !take_epoch(scan, match);
    } else if (is_step(word) && !match.line.step) {
      refused |= !take_step(scan, match);
    } else if (!match.loss && same_word(word, "loss")) {
      refused |= !take_loss(scan, match);
    } else if (!match.loss && says_not_training(word, scan)) {
      return std::nullopt;
    }
  }
  if (!match.loss) return std::nullopt;
  match.line.loss = *match.loss;
  match.places.whole = !refused && text.find_first_of("\r\x1b") == std::string_view::npos;
  places = match.places;
  return match.line;
}

std::optional<LossLine> parse_loss_line(std::string_view text) {
  LossPlaces places;
  return parse_loss_line(text, places);
}

}  // namespace adarun::monitor
