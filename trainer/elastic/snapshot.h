// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/checkpoint/file.h"

namespace adarun::trainer {

/// The state of a training between two steps, in memory: what a checkpoint of that step holds.
struct Snapshot {
  using Clock = std::chrono::steady_clock;

  CheckpointState state;
  std::int64_t steps = 0;                  ///< From the start of the training.
  int ranks = 1;                           ///< So many took the last of them.
  std::vector<std::vector<float>> values;  ///< As TrainingState::values().
  std::string run;                         ///< The id in its checkpoints; empty: it writes none.
  Clock::time_point saved_at = {};         ///< As Checkpointer::saved_at(), by this rank's clock.
  std::string setup = {};  ///< The options and what it learns from and is measured on, a line each.
};

}  // namespace adarun::trainer
