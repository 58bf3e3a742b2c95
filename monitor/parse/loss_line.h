// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace adarun::monitor {

/// What a line of a training log reports about the loss. Epochs and steps are as printed: they may begin at 0
/// or 1, and steps may restart with each epoch or not (see StepClock).
struct LossLine {
  double loss = 0;  ///< May be nan or an infinity.
  std::optional<std::uint64_t> epoch;
  std::optional<std::uint64_t> step;
  std::optional<std::uint64_t> epochs;           ///< 90 in "epoch: [1/90]".
  std::optional<std::uint64_t> steps_per_epoch;  ///< 312 in "step: [100/312]".

  bool operator==(const LossLine&) const = default;
};

/// Reads one line of a log, with or without its line end. Accepts MindSpore's formats
/// ("epoch: 1 step: 100, loss is 2.3" with any spacing, "epoch: [1/90] step: [100/312], loss is 2.3",
/// "Epoch 1/90, step:100/312, loss:2.3", "loss is NAN or INF") and common PyTorch formats
/// ("[epoch 1, step 100] loss: 2.3", "loss=2.3", "Epoch: [1][100/312] ... Loss 2.3 (2.4)", a tensor's repr).
/// "iter", "iteration" and "batch" count as step. Colour codes and text overwritten after a carriage return
/// are ignored. Nothing for other lines, for a loss of a test, evaluation or validation, and for an average.
std::optional<LossLine> parse_loss_line(std::string_view line);

/// Where the values are in a line; empty if absent.
struct LossPlaces {
  std::string_view loss;
  std::string_view epoch;
  std::string_view step;
  std::string_view epochs;
  std::string_view steps_per_epoch;
  bool whole = false;  ///< The line had no colour codes, and nothing in it was refused.
};

/// The same, and also gives where the values are in `line`.
std::optional<LossLine> parse_loss_line(std::string_view line, LossPlaces& places);

}  // namespace adarun::monitor
