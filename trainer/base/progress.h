// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adarun::trainer {

/// A training step and its measurements. Counts from 1.
struct Progress {
  int epoch = 0;
  int step = 0;                ///< Within the epoch; at the end of an epoch, the number of its steps.
  float loss = 0;              ///< Of this rank's batch.
  float rate = 0;              ///< The learning rate.
  std::int64_t all_steps = 0;  ///< Over all epochs, including those before a resume.
};

/// The steps of an epoch that another number of ranks took: its first ones.
struct EarlierSteps {
  int steps = 0;
  std::uint64_t samples = 0;  ///< They took so many samples, the first of the epoch's order.

  bool operator==(const EarlierSteps&) const = default;
};

/// The completed part of a training: all epochs before `epoch`, and `steps` steps of `epoch` (fewer than it
/// has).
struct Position {
  int epoch = 1;
  int steps = 0;
  std::int64_t all_steps = 0;  ///< Over all epochs.
  EarlierSteps earlier = {};   ///< Some of `steps`, or all of them.
};

}  // namespace adarun::trainer
