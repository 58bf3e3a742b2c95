// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/training_place.h"

#include <algorithm>
#include <cmath>

namespace adarun::monitor {
namespace {

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

}  // namespace

void put_step(const Counted& step, TrainingPlace& place) {
  place.line.step = step.value;
  place.line.steps_per_epoch = step.total;
  place.texts.step = step.text;
  place.texts.steps_per_epoch = step.total_text;
}

void take_place(LossWord word, Scan& scan, TrainingPlace& place) {
  const bool wants_step = !place.line.step;
  if (word == LossWord::epoch && !place.line.epoch) take_epoch(scan, place);
  if (word == LossWord::step && wants_step) take_step(scan, place);
  if (word == LossWord::global_step && wants_step) take_global_step(scan, place);
  if (word == LossWord::steps && wants_step) take_steps(scan, place);
  if (word == LossWord::writer && wants_step) take_written_step(scan, place);
  if (word == LossWord::training && wants_step) take_timm_place(scan, place);
}

}  // namespace adarun::monitor
