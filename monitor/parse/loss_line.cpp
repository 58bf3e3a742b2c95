// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "monitor/base/text.h"
#include "monitor/parse/loss_word.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

/// Whose loss the next one in the line is.
enum class Owner { training, validation, nobody };

/// What was found in a line so far.
struct LossMatch {
  LossLine place;  ///< Its loss is not set.
  LossPlaces texts;
  bool refused = false;  ///< Something was read or not because of its digits.
  std::optional<double> training;
  std::optional<double> validation;
  std::optional<double> policy;  ///< The training's if the line has no other.
  std::string_view policy_text;
  Owner owner = Owner::training;

  bool is_placed() const { return place.epoch || place.step; }
};

void put_step(const Counted& step, LossMatch& match) {
  match.place.step = step.value;
  match.place.steps_per_epoch = step.total;
  match.texts.step = step.text;
  match.texts.steps_per_epoch = step.total_text;
}

void put_epoch(const Counted& epoch, LossMatch& match) {
  match.place.epoch = epoch.value;
  match.place.epochs = epoch.total;
  match.texts.epoch = epoch.text;
  match.texts.epochs = epoch.total_text;
}

// The epoch that a fraction such as "'epoch': 0.53" lies in.
std::optional<std::uint64_t> take_epoch_share(Scan& scan) {
  constexpr double most = 1e15;
  Scan ahead = scan;
  const Separator separator = take_separator(ahead);
  take_constructor(ahead);
  const auto share = separator.quoted && separator.marked ? ahead.take_value() : std::nullopt;
  if (!share || !(*share >= 0 && *share <= most)) return std::nullopt;
  scan = ahead;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(*share)));
}

// MMEngine's phase: "Epoch(train)  [2][ 490/500]", "Iter(train) [ 500/160000]".
void skip_phase(Scan& scan) {
  constexpr std::string_view phase = "(train)";
  if (!scan.rest().starts_with(phase)) return;
  for (const char c : phase) scan.take(c);
}

void take_epoch(Scan& scan, LossMatch& match) {
  skip_phase(scan);
  const auto epoch = take_labelled(scan);
  if (!epoch) {
    match.refused = true;
    match.place.epoch = take_epoch_share(scan);
    return;
  }
  put_epoch(*epoch, match);
  Scan ahead = scan;  // "Epoch: [1][ 100/312]"
  ahead.skip_spaces();
  if (match.place.step || !ahead.rest().starts_with("[")) return;
  const auto step = take_counted(ahead);
  if (!step || !step->total) {
    match.refused = true;
    return;
  }
  put_step(*step, match);
  scan = ahead;
}

void take_step(Scan& scan, LossMatch& match) {
  skip_phase(scan);
  if (const auto step = take_labelled(scan)) {
    put_step(*step, match);
  } else {
    match.refused = true;
  }
}

// A step that counts on through all epochs, in ms-swift with that of the run: "'global_step/max_steps':
// '5/400'". NeMo prints it as a float: "global_step=39.00".
void take_global_step(Scan& scan, LossMatch& match) {
  constexpr double most = 1e15;
  constexpr std::string_view of_run = "/max_steps";
  if (scan.rest().starts_with(of_run)) {
    scan = Scan(scan.rest().substr(of_run.size()));
    take_step(scan, match);
    match.place.steps = std::exchange(match.place.steps_per_epoch, std::nullopt);
    match.refused = true;
    return;
  }
  take_step(scan, match);
  if (match.place.step) return;
  Scan ahead = scan;
  take_separator(ahead);
  const auto value = ahead.take_value();
  if (!value || !(*value >= 0 && *value <= most) || std::floor(*value) != *value) return;
  match.place.step = static_cast<std::uint64_t>(*value);
  scan = ahead;
}

// LLaMA-Factory's '"current_steps": 10, "total_steps": 30'.
void take_steps_of_run(Scan& scan, LossMatch& match) {
  const auto steps = take_labelled(scan);
  if (steps && match.place.step && !match.place.steps_per_epoch && steps->value >= *match.place.step)
    match.place.steps = steps->value;
  match.refused = true;
}

// DeepSpeed's "steps: 480 loss: 0.69"; the steps of other lines are totals.
void take_steps(Scan& scan, LossMatch& match) {
  Scan ahead = scan;
  if (!ahead.take(':')) return;
  ahead.skip_spaces();
  const auto steps = take_counted(ahead);
  ahead.skip_spaces();
  if (steps && !steps->total && ahead.rest().starts_with("loss:")) put_step(*steps, match);
}

// The step of the JAX writer: "logging_writer.py:48] [100] train_loss=2.3".
void take_written_step(Scan& scan, LossMatch& match) {
  constexpr std::string_view end = "] [";
  constexpr std::size_t most = 16;  // of ".py:48] ["
  const std::size_t source = scan.rest().substr(0, most).find(end);
  if (source == std::string_view::npos || scan.rest().substr(0, source).find(' ') < source) return;
  Scan ahead(scan.rest().substr(source + end.size() - 1));
  if (const auto step = take_counted(ahead); step && !step->total) put_step(*step, match);
}

// "[0/5][0/1583]": an epoch, then a step.
bool take_two_brackets(Scan& scan, LossMatch& match) {
  Scan ahead = scan;
  if (match.place.epoch || match.place.step || !ahead.rest().starts_with("[")) return false;
  const auto epoch = take_counted(ahead);
  if (!epoch || !epoch->total || !ahead.rest().starts_with("[")) return false;
  const auto step = take_counted(ahead);
  if (!step || !step->total) return false;
  put_epoch(*epoch, match);
  put_step(*step, match);
  scan = ahead;
  return true;
}

// timm's "Train: 0 [ 100/1251 (  8%)]  Loss: 6.9", Swin's "Train: [0/300][100/1251]".
void take_timm_place(Scan& scan, LossMatch& match) {
  Scan ahead = scan;
  if (match.place.epoch || match.place.step || !ahead.take(':')) return;
  ahead.skip_spaces();
  if (take_two_brackets(ahead, match)) {
    scan = ahead;
    return;
  }
  const auto epoch = take_counted(ahead);
  ahead.skip_spaces();
  if (!epoch || epoch->total || !ahead.take('[')) return;
  ahead.skip_spaces();
  const auto step = take_counted(ahead);
  if (!step || !step->total || !ahead.rest().starts_with("(")) return;
  put_epoch(*epoch, match);
  put_step(*step, match);
  scan = ahead;
}

// What stands before all words: "[0/5][0/1583]" (DCGAN), torchtune's epoch and step in "1|25|Loss: 2.3", or
// the step in llama2.c's "10 | loss 2.3 |".
void take_leading_place(Scan scan, LossMatch& match) {
  match.refused = take_two_brackets(scan, match);
  const auto epoch = take_counted(scan);
  if (match.refused || !epoch || epoch->total || !scan.take('|')) return;
  if (scan.rest().starts_with(" loss ")) return put_step(*epoch, match);
  const auto step = take_counted(scan);
  if (!step || step->total || !scan.rest().starts_with("|Loss:")) return;
  match.refused = true;
  put_epoch(*epoch, match);
  put_step(*step, match);
}

// The step of torch_xla's "[xla:3](100) Loss=2.3", with or without the tag.
void take_xla_step(std::string_view line, LossMatch& match) {
  if (line.starts_with("[xla:")) line.remove_prefix(std::min(line.find(']') + 1, line.size()));
  Scan scan(line);
  if (!scan.take('(')) return;
  const auto step = take_counted(scan);
  if (step && !step->total && scan.take(')') && scan.rest().starts_with(" Loss=")) put_step(*step, match);
}

// WeNet's "TRAIN Batch 4/203700 loss 2.3": an epoch, then a step.
void take_wenet_place(std::string_view line, LossMatch& match) {
  for (const std::string_view begin : {"TRAIN Batch ", "CV Batch "}) {
    const std::size_t at = line.find(begin);
    if (at == std::string_view::npos) continue;
    Scan scan(line.substr(at + begin.size()));
    const auto epoch = take_counted(scan);
    if (!epoch || !epoch->total || !scan.rest().starts_with("loss ")) return;
    put_epoch({epoch->value, epoch->text, std::nullopt, {}}, match);
    put_step({*epoch->total, epoch->total_text, std::nullopt, {}}, match);
    if (begin[0] == 'C') match.owner = Owner::validation;
  }
}

// Whose the first loss is: what TensorFlow's Estimator prints after an evaluation, or parts of rsl_rl's.
Owner first_owner(std::string_view line) {
  if (line.find("Saving dict for global step ") != std::string_view::npos) return Owner::validation;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  for (const char* part : {"Mean entropy loss:", "Mean surrogate loss:", "Surrogate loss:"})
    if (line.starts_with(part)) return Owner::nobody;
  return Owner::training;
}

// Reads what follows a word for an epoch or a step, if the line has not told it before; moves past it.
// Nothing for other words.
void take_place(LossWord word, Scan& scan, LossMatch& match) {
  const bool wants_step = !match.place.step;
  if (word == LossWord::epoch && !match.place.epoch) take_epoch(scan, match);
  if (word == LossWord::step && wants_step) take_step(scan, match);
  if (word == LossWord::global_step && wants_step) take_global_step(scan, match);
  if (word == LossWord::steps && wants_step) take_steps(scan, match);
  if (word == LossWord::steps_of_run) take_steps_of_run(scan, match);
  if (word == LossWord::writer && wants_step) take_written_step(scan, match);
  if (word == LossWord::training && wants_step) take_timm_place(scan, match);
}

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
  put_step(*step, match);
  match.training = loss;
  match.texts.loss = text;
}

// Reads what is between the word and its value: ':', '=', "is", "value:", or nothing if `bare`; before that
// litgpt's "loss train: 2.3" and Composer's "loss/train/total: 2.3".
bool take_loss_separator(Scan& scan, bool bare) {
  for (const std::string_view owner : {" train:", "/train/total:"})
    if (scan.rest().starts_with(owner)) {
      scan = Scan(scan.rest().substr(owner.size()));
      return true;
    }
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
bool continues_as_expression(std::string_view rest) {
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
  if (take_loss_separator(ahead, match.is_placed())) {
    ahead.skip_spaces();
    const bool constructed = take_constructor(ahead);
    const bool bracket = ahead.take('[');  // MindFormers: the last and the mean, "loss:[ 7.123/ 7.200]"
    if (bracket) ahead.skip_spaces();
    const Scan before = ahead;
    loss = ahead.take_value(bracket ? '/' : constructed ? '>' : '\n');
    text = ahead.since(before);
    const char end = constructed ? ']' : '/';  // "Array([2.3], dtype=float32)"
    if (bracket && !ahead.take(end)) loss.reset();
    if (bracket) match.refused = true;
  }
  if (loss && !match.is_placed() && continues_as_expression(ahead.rest())) loss.reset();
  if (loss) scan = ahead;
  if (!loss) match.refused = true;
  return loss;
}

// The first loss counts, of training and of validation.
void take_loss_of(Owner owner, Scan& scan, LossMatch& match) {
  std::string_view text;
  if (owner == Owner::training && !match.training) {
    match.training = take_loss(scan, match, text);
    match.texts.loss = text;
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
      if (match.place.step) take_loss_of(match.owner, scan, match);
      return;
    case LossWord::policy_loss:
      if (match.place.step && !match.policy) match.policy = take_loss(scan, match, match.policy_text);
      return;
    case LossWord::training_loss:
      if (match.owner != Owner::nobody && !is_in_a_table(scan)) take_loss_of(Owner::training, scan, match);
      return;
    case LossWord::validation_loss:
      if (!is_in_a_table(scan)) take_loss_of(Owner::validation, scan, match);
      return;
    case LossWord::training:
      if (match.owner == Owner::validation) match.owner = Owner::training;
      return take_place(word, scan, match);
    case LossWord::validation:
      if (says_validation(scan)) match.owner = Owner::validation;
      return;
    case LossWord::average:
      if (match.owner == Owner::training) match.owner = Owner::nobody;
      return;
    default:
      return take_place(word, scan, match);
  }
}

// A bar may count the epochs themselves, or, as that of diffusers and kohya does ("Steps:  12%|"), the steps
// of all epochs.
void judge_bar(const Counted& bar, std::string_view line, LossMatch& match) {
  if (match.place.epochs) match.refused = true;
  if (match.place.epochs && match.place.epochs == bar.total)
    match.place.step = match.place.steps_per_epoch = std::nullopt;
  if (!same_word(Scan(line).next_word(), "steps")) return;
  match.place.steps = std::exchange(match.place.steps_per_epoch, std::nullopt);
  match.refused = true;
}

LineLosses losses_of(const LossMatch& match) {
  LineLosses losses;
  losses.places = match.texts;
  losses.places.whole = !match.refused && !match.validation;
  if (match.training) {
    losses.training = match.place;
    losses.training->loss = *match.training;
  }
  if (!match.validation) return losses;
  losses.validation = match.place;
  losses.validation->loss = *match.validation;
  if (match.place.steps_per_epoch && !match.training) losses.validation->step.reset();
  losses.validation->steps_per_epoch.reset();
  return losses;
}

}  // namespace

LineLosses parse_losses(std::string_view text) {
  std::string buffer;
  const std::string_view visible = visible_text(text, buffer);
  LossMatch match;
  take_darknet_line(Scan(visible), match);
  const auto bar = match.place.step ? std::nullopt : bar_step(visible);
  take_leading_place(Scan(visible), match);
  if (bar) put_step(*bar, match);
  take_xla_step(visible, match);
  match.owner = first_owner(visible);
  take_wenet_place(visible, match);
  Scan scan(visible);
  for (std::string_view word = scan.next_word(); !word.empty(); word = scan.next_word())
    take_word(loss_word(word), scan, match);
  if (bar) judge_bar(*bar, visible, match);
  match.place.of_bar = match.texts.of_bar = bar && match.place.step;
  if (match.policy) match.refused = true;  // Whether it counts is decided by the rest of the line.
  if (!match.training && match.policy) {
    match.training = match.policy;
    match.texts.loss = match.policy_text;
  }
  LineLosses losses = losses_of(match);
  if (visible.size() != text.size()) losses.places.whole = false;
  return losses;
}

LossLine parse_place(std::string_view text) {
  std::string buffer;
  Scan scan(visible_text(text, buffer));
  LossMatch match;
  for (std::string_view word = scan.next_word(); !word.empty(); word = scan.next_word())
    take_place(loss_word(word), scan, match);
  return match.place;
}

}  // namespace adarun::monitor
