// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "monitor/parse/loss_line.h"

namespace adarun::monitor {

/// The number of an epoch on a line of its own, before the lines of its steps, as Keras prints it.
struct EpochLine {
  std::uint64_t epoch = 0;
  std::optional<std::uint64_t> epochs;  ///< 10 in "Epoch 3/10".

  bool operator==(const EpochLine&) const = default;
};

/// Reads a line that has no other word: "Epoch 3/10", "EPOCH 3:", "----- Epoch [3/10] -----". Nothing for
/// other lines, such as "Saved epoch 3".
std::optional<EpochLine> parse_epoch_line(std::string_view line);

/// The last such line of a log, which tells the epoch of the loss lines below it, up to one that tells it
/// itself.
class EpochHeading {
 public:
  void begin(const EpochLine& line);

  /// Whether it tells the epoch of the next loss line.
  bool holds_for(const LossLine& line) {
    if (line_ && line.epoch) line_.reset();
    return line_.has_value();
  }

  /// Sets the epoch of a line that it holds for. Returns false if the line is of an evaluation after the
  /// epoch: Keras prints it as a training's, but with another number of steps ("313/313" after "1875/1875").
  bool complete(LossLine& line);

 private:
  std::optional<EpochLine> line_;
  std::optional<std::uint64_t> steps_;  ///< Of the first line below it.
};

}  // namespace adarun::monitor
