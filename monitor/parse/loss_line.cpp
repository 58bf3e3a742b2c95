// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_line.h"

#include <algorithm>
#include <string>

#include "monitor/base/characters.h"
#include "monitor/parse/counted.h"
#include "monitor/parse/loss_word.h"
#include "monitor/parse/scan.h"
#include "monitor/parse/training_place.h"

namespace adarun::monitor {
namespace {

/// Whose loss the next one in the line is.
enum class Owner { training, validation, nobody };

/// What was found in a line so far.
struct LossMatch {
  TrainingPlace place;
  std::optional<double> training;
  std::optional<double> validation;
  Owner owner = Owner::training;
};

// darknet's "100: 12.5, 13.1 avg loss, 0.001 rate": the step, the loss, and its average.
void take_darknet_line(Scan scan, LossMatch& match) {
  scan.skip_spaces();
  const auto step = take_counted(scan);
  if (!step || step->total || !scan.take(':') || !scan.rest().starts_with(" ")) return;
  scan.skip_spaces();
  const Scan before = scan;
  const auto loss = scan.take_value();
  const std::string_view text = scan.since(before);
  if (!loss || !scan.take(',')) return;
  scan.skip_spaces();
  if (!scan.take_value() || !(scan.rest().starts_with(" avg loss, ") || scan.rest().starts_with(" avg, ")))
    return;
  put_step(*step, match.place);
  match.training = loss;
  match.place.texts.loss = text;
}

// Reads what is between the word and its value: ':', '=', "is", "value:", or nothing if `bare`.
bool take_loss_separator(Scan& scan, bool bare) {
  if (take_separator(scan).marked) return true;
  if (scan.rest().starts_with("is ") || scan.rest().starts_with("is\t")) {
    scan.next_word();
    return true;
  }
  if (!scan.rest().starts_with("value:")) return bare;
  scan.next_word();
  return scan.take(':');
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

// Reads the value of a loss, and sets `text` to its characters.
std::optional<double> take_loss(Scan& scan, LossMatch& match, std::string_view& text) {
  Scan ahead = scan;
  std::optional<double> loss;
  if (take_loss_separator(ahead, match.place.is_known())) {
    ahead.skip_spaces();
    if (ahead.rest().starts_with("tensor(")) {
      ahead.next_word();
      ahead.take('(');
    }
    const bool bracket = ahead.take('[');  // MindFormers: the last and the mean, "loss:[ 7.123/ 7.200]"
    if (bracket) ahead.skip_spaces();
    const Scan before = ahead;
    loss = bracket ? ahead.take_value('/') : ahead.take_value();
    text = ahead.since(before);
    if (bracket && !ahead.take('/')) loss.reset();
    if (bracket) match.place.refused = true;
  }
  if (loss && !match.place.is_known() && goes_on_as_expression(ahead.rest())) loss.reset();
  if (loss) scan = ahead;
  if (!loss) match.place.refused = true;
  return loss;
}

// The first loss counts, of training and of validation.
void take_loss_of(Owner owner, Scan& scan, LossMatch& match) {
  std::string_view text;
  if (owner == Owner::training && !match.training) {
    match.training = take_loss(scan, match, text);
    match.place.texts.loss = text;
  } else if (owner == Owner::validation && !match.validation) {
    match.validation = take_loss(scan, match, text);
  }
}

// Hugging Face ends with a table of means: "  train_loss               =     0.3962".
bool is_in_a_table(const Scan& scan) {
  Scan ahead = scan;
  ahead.skip_spaces();
  return scan.rest().starts_with("  ") && ahead.rest().starts_with("=");
}

// "test", "eval" and so on are parts of a path in "test/run.py", but not in "val/loss".
bool says_validation(const Scan& behind) {
  if (behind.rest().starts_with(".")) return false;
  return !behind.rest().starts_with("/") || same_word(behind.rest().substr(1, 4), "loss");
}

void take_word(LossWord word, Scan& scan, LossMatch& match) {
  switch (word) {
    case LossWord::loss:
      return take_loss_of(match.owner, scan, match);
    case LossWord::loss_in_step:
      if (match.place.line.step) take_loss_of(match.owner, scan, match);
      return;
    case LossWord::training_loss:
      if (match.owner != Owner::nobody && !is_in_a_table(scan)) take_loss_of(Owner::training, scan, match);
      return;
    case LossWord::validation_loss:
      if (!is_in_a_table(scan)) take_loss_of(Owner::validation, scan, match);
      return;
    case LossWord::training:
      if (match.owner == Owner::validation) match.owner = Owner::training;
      return take_place(word, scan, match.place);
    case LossWord::validation:
      if (says_validation(scan)) match.owner = Owner::validation;
      return;
    case LossWord::average:
      if (match.owner == Owner::training) match.owner = Owner::nobody;
      return;
    default:
      return take_place(word, scan, match.place);
  }
}

void put_no_step(LossLine& line) {
  line.step.reset();
  line.steps_per_epoch.reset();
}

LineLosses losses_of(const LossMatch& match) {
  LineLosses losses;
  losses.places = match.place.texts;
  losses.places.whole = !match.place.refused && !match.validation;
  if (match.training) {
    losses.training = match.place.line;
    losses.training->loss = *match.training;
  }
  if (!match.validation) return losses;
  losses.validation = match.place.line;
  losses.validation->loss = *match.validation;
  if (match.place.line.steps_per_epoch && !match.training) losses.validation->step.reset();
  losses.validation->steps_per_epoch.reset();
  return losses;
}

}  // namespace

LineLosses parse_losses(std::string_view text) {
  std::string buffer;
  const std::string_view visible = visible_text(text, buffer);
  LossMatch match;
  take_darknet_line(Scan(visible), match);
  const auto bar = match.place.line.step ? std::nullopt : bar_step(visible);
  if (bar) put_step(*bar, match.place);
  Scan scan(visible);
  for (std::string_view word = scan.next_word(); !word.empty(); word = scan.next_word())
    take_word(loss_word(word), scan, match);
  if (bar && match.place.line.epochs) {
    match.place.refused = true;
    if (match.place.line.epochs == bar->total) put_no_step(match.place.line);  // a loop over epochs
  }
  LineLosses losses = losses_of(match);
  if (visible.size() != text.size()) losses.places.whole = false;
  return losses;
}

}  // namespace adarun::monitor
