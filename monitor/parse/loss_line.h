// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace adarun::monitor {

/// What a line of a training log reports about a loss. Epochs and steps are as printed: they may begin at 0
/// or 1, and steps may restart with each epoch or not (see StepClock).
struct LossLine {
  double loss = 0;  ///< May be nan or an infinity.
  std::optional<std::uint64_t> epoch;
  std::optional<std::uint64_t> step;
  std::optional<std::uint64_t> epochs;           ///< 90 in "epoch: [1/90]".
  std::optional<std::uint64_t> steps_per_epoch;  ///< 312 in "step: [100/312]".
  std::optional<std::uint64_t> steps = {};  ///< Of the whole run: 400 in "'global_step/max_steps': '5/400'".
  bool of_bar = false;  ///< The step is that of a progress bar, which may show new losses at an old step.

  bool operator==(const LossLine&) const = default;
};

/// Where the values are in a line; empty if absent.
struct LossPlaces {
  std::string_view loss;
  std::string_view epoch;
  std::string_view step;
  std::string_view epochs;
  std::string_view steps_per_epoch;
  bool of_bar = false;  ///< See LossLine.
  bool whole = false;   ///< The line had no colour codes, and any line with other digits is read alike.
};

/// The losses in one line, at the same epoch and step: of the training, and of a validation, evaluation or
/// test. A validation's own steps ("[20/79]") are left out.
struct LineLosses {
  std::optional<LossLine> training;
  std::optional<LossLine> validation;
  LossPlaces places;  ///< Of the training's, if it is all there is.
};

/// Reads one line of a log, with or without its line end, in the formats of MindSpore, PyTorch, JAX and what
/// is built on them: docs/monitor.md lists them, tests/monitor/parse/corpus has lines of each. "iter",
/// "iteration", "batch" and "num_updates" count as step, and so do the counts of a progress bar. A fraction
/// as Hugging Face prints it ("'epoch': 0.53") lies in epoch 1, 1.0 still, and 1.01 in epoch 2. Colour codes
/// and text overwritten after a carriage return are ignored. Nothing for other lines, and for averages.
LineLosses parse_losses(std::string_view line);

/// The epoch and the step that a line tells, whether it reports a loss or not.
LossLine parse_place(std::string_view line);

/// The loss of the training alone.
inline std::optional<LossLine> parse_loss_line(std::string_view line) {
  return parse_losses(line).training;
}

}  // namespace adarun::monitor
