// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "monitor/base/text.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

/// What a word means in a line that reports losses.
enum class LossWord {
  other,
  epoch,
  step,
  global_step,
  steps,            ///< A step only in DeepSpeed's lines.
  writer,           ///< Of JAX, which puts the step in brackets.
  loss,             ///< Of what the words before say.
  loss_in_step,     ///< A loss where the line has a step; elsewhere a part of one.
  training_loss,    ///< Always of the training.
  validation_loss,  ///< Always of a validation.
  training,
  validation,
  average  ///< The next loss is an average over what was printed before.
};

struct NamedWord {
  std::string_view name;
  LossWord word;
};

// In the order of their first letters.
constexpr std::array<NamedWord, 41> named_words{{
    {"average", LossWord::average},
    {"avg", LossWord::average},
    {"batch", LossWord::step},
    {"epoch", LossWord::epoch},
    {"eval", LossWord::validation},
    {"eval_loss", LossWord::validation_loss},
    {"evaluating", LossWord::validation},
    {"evaluation", LossWord::validation},
    {"global_step", LossWord::global_step},
    {"iter", LossWord::step},
    {"iteration", LossWord::step},
    {"lm_loss", LossWord::loss_in_step},
    {"logging_writer", LossWord::writer},
    {"loss", LossWord::loss},
    {"loss_step", LossWord::training_loss},
    {"num_updates", LossWord::step},
    {"reduced_train_loss", LossWord::training_loss},
    {"step", LossWord::step},
    {"steps", LossWord::steps},
    {"test", LossWord::validation},
    {"test_loss", LossWord::validation_loss},
    {"test_loss_epoch", LossWord::validation_loss},
    {"testing", LossWord::validation},
    {"total_loss", LossWord::loss_in_step},
    {"train", LossWord::training},
    {"train_loss", LossWord::training_loss},
    {"train_loss_step", LossWord::training_loss},
    {"train_num_updates", LossWord::step},
    {"train_runtime", LossWord::average},
    {"training", LossWord::training},
    {"training_loss", LossWord::training_loss},
    {"val", LossWord::validation},
    {"val_loss", LossWord::validation_loss},
    {"val_loss_epoch", LossWord::validation_loss},
    {"valid", LossWord::validation},
    {"valid_loss", LossWord::validation_loss},
    {"valid_loss_epoch", LossWord::validation_loss},
    {"valid_num_updates", LossWord::step},
    {"validating", LossWord::validation},
    {"validation", LossWord::validation},
    {"validation_loss", LossWord::validation_loss},
}};

constexpr std::size_t letters = 'z' - 'a' + 1;

// Where the words with each first letter begin, and where the last ones end.
constexpr std::array<std::size_t, letters + 1> beginnings_of_words() {
  std::array<std::size_t, letters + 1> begins{};
  for (std::size_t i = 0; i < letters; ++i) {
    begins[i + 1] = begins[i];
    while (begins[i + 1] < named_words.size() &&
           named_words[begins[i + 1]].name[0] == static_cast<char>('a' + static_cast<char>(i)))
      ++begins[i + 1];
  }
  return begins;
}

constexpr std::array<std::size_t, letters + 1> begins = beginnings_of_words();
static_assert(begins[letters] == named_words.size());

// Ignores case.
LossWord loss_word(std::string_view word) {
  const char first = word.empty() ? '_' : lower(word[0]);
  if (first < 'a' || first > 'z') return LossWord::other;
  const auto letter = static_cast<std::size_t>(first - 'a');
  for (std::size_t i = begins[letter]; i < begins[letter + 1]; ++i)
    if (same_word(word, named_words[i].name)) return named_words[i].word;
  return LossWord::other;
}

/// The epoch and the step of a line, as far as it has been read.
struct TrainingPlace {
  LossLine line;  ///< Its loss is not set.
  LossPlaces texts;
  bool refused = false;  ///< Something was read or not because of its digits.

  bool is_known() const { return line.epoch || line.step; }
};

void put_step(const Counted& step, TrainingPlace& place) {
  place.line.step = step.value;
  place.line.steps_per_epoch = step.total;
  place.texts.step = step.text;
  place.texts.steps_per_epoch = step.total_text;
}

void put_epoch(const Counted& epoch, TrainingPlace& place) {
  place.line.epoch = epoch.value;
  place.line.epochs = epoch.total;
  place.texts.epoch = epoch.text;
  place.texts.epochs = epoch.total_text;
}

// The epoch that a fraction such as "'epoch': 0.53" lies in.
std::optional<std::uint64_t> take_epoch_share(Scan& scan) {
  constexpr double most = 1e15;
  Scan ahead = scan;
  const Separator separator = take_separator(ahead);
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

void take_epoch(Scan& scan, TrainingPlace& place) {
  skip_phase(scan);
  const auto epoch = take_labelled(scan);
  if (!epoch) {
    place.refused = true;
    place.line.epoch = take_epoch_share(scan);
    return;
  }
  put_epoch(*epoch, place);
  Scan ahead = scan;  // "Epoch: [1][ 100/312]"
  ahead.skip_spaces();
  if (place.line.step || !ahead.rest().starts_with("[")) return;
  const auto step = take_counted(ahead);
  if (!step || !step->total) {
    place.refused = true;
    return;
  }
  put_step(*step, place);
  scan = ahead;
}

void take_step(Scan& scan, TrainingPlace& place) {
  skip_phase(scan);
  if (const auto step = take_labelled(scan)) {
    put_step(*step, place);
  } else {
    place.refused = true;
  }
}

// NeMo prints its global step as a float: "global_step=39.00".
void take_global_step(Scan& scan, TrainingPlace& place) {
  constexpr double most = 1e15;
  take_step(scan, place);
  if (place.line.step) return;
  Scan ahead = scan;
  take_separator(ahead);
  const auto value = ahead.take_value();
  if (!value || !(*value >= 0 && *value <= most) || std::floor(*value) != *value) return;
  place.line.step = static_cast<std::uint64_t>(*value);
  scan = ahead;
}

// DeepSpeed's "steps: 480 loss: 0.69"; the steps of other lines are totals.
void take_steps(Scan& scan, TrainingPlace& place) {
  Scan ahead = scan;
  if (!ahead.take(':')) return;
  ahead.skip_spaces();
  const auto steps = take_counted(ahead);
  ahead.skip_spaces();
  if (steps && !steps->total && ahead.rest().starts_with("loss:")) put_step(*steps, place);
}

// The step of the JAX writer: "logging_writer.py:48] [100] train_loss=2.3".
void take_written_step(Scan& scan, TrainingPlace& place) {
  constexpr std::string_view end = "] [";
  constexpr std::size_t most = 16;  // of ".py:48] ["
  const std::size_t source = scan.rest().substr(0, most).find(end);
  if (source == std::string_view::npos || scan.rest().substr(0, source).find(' ') < source) return;
  Scan ahead(scan.rest().substr(source + end.size() - 1));
  if (const auto step = take_counted(ahead); step && !step->total) put_step(*step, place);
}

// timm's "Train: 0 [ 100/1251 (  8%)]  Loss: 6.9".
void take_timm_place(Scan& scan, TrainingPlace& place) {
  Scan ahead = scan;
  if (place.line.epoch || place.line.step || !ahead.take(':')) return;
  ahead.skip_spaces();
  const auto epoch = take_counted(ahead);
  ahead.skip_spaces();
  if (!epoch || epoch->total || !ahead.take('[')) return;
  ahead.skip_spaces();
  const auto step = take_counted(ahead);
  if (!step || !step->total || !ahead.rest().starts_with("(")) return;
  put_epoch(*epoch, place);
  put_step(*step, place);
  scan = ahead;
}

// Reads what follows a word for an epoch or a step, if the line has not told it before; moves past it.
// Nothing for other words.
void take_place(LossWord word, Scan& scan, TrainingPlace& place) {
  const bool wants_step = !place.line.step;
  if (word == LossWord::epoch && !place.line.epoch) take_epoch(scan, place);
  if (word == LossWord::step && wants_step) take_step(scan, place);
  if (word == LossWord::global_step && wants_step) take_global_step(scan, place);
  if (word == LossWord::steps && wants_step) take_steps(scan, place);
  if (word == LossWord::writer && wants_step) take_written_step(scan, place);
  if (word == LossWord::training && wants_step) take_timm_place(scan, place);
}

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
  if (loss && !match.place.is_known() && continues_as_expression(ahead.rest())) loss.reset();
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
