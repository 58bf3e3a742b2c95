// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace adarun::trainer {

/// A step of a training and what was measured in it. Counts from 1.
struct Progress {
  int epoch = 0;
  int step = 0;                ///< Within the epoch; at the end of an epoch, its number of steps.
  float loss = 0;              ///< Of this rank's batch.
  float rate = 0;              ///< The learning rate.
  std::int64_t all_steps = 0;  ///< Over all epochs, those before a resume too.
};

/// What is done of a training: whole epochs before `epoch`, and `steps` of it, fewer than it has.
struct Position {
  int epoch = 1;
  int steps = 0;
};

}  // namespace adarun::trainer
