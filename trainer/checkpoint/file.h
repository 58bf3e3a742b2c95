// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/base/error.h"

namespace adarun::trainer {

/// What job a checkpoint is of: names and values. Jobs of which one differs cannot go on from each other's.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Whose a checkpoint is.
struct RunIdentity {
  std::string run;  ///< The id of the run that writes it.
  Facts job;
  Facts settings = {};  ///< Which may be others from one checkpoint to the next.
};

/// Where a training stood when a checkpoint was written.
struct CheckpointState {
  int epoch = 1;
  int step = 0;                  ///< Of the epoch; the last one that was done.
  std::int64_t steps_taken = 0;  ///< By the optimizer.
  double loss_scale = 1;         ///< And how many steps it has held.
  std::int64_t taken_in_a_row = 0;

  bool operator==(const CheckpointState&) const = default;
};

/// What a checkpoint has beside its values.
struct CheckpointHeader {
  CheckpointState state;
  Facts settings;

  bool operator==(const CheckpointHeader&) const = default;
};

/// Why files of format 1 are refused.
inline constexpr const char* left_weights_out =
    "of an adarun whose checksum left weights out: begin anew in another folder";

/// A checkpoint that is not what was written; another one may be.
class DamagedCheckpoint : public Error {
 public:
  using Error::Error;
};

/// Writes `file`, by another name first, and returns once the disk has it. Throws Error.
void write_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                      const CheckpointState& state, const std::vector<std::span<const float>>& values);

/// Reads `file` into `values`, whose sizes are those that were written. Throws DamagedCheckpoint where it is
/// torn (its end is missing, or its checksum is another), not there, of another run, or no checkpoint at all,
/// and Error where it is of another format or another job, with the fact that differs. Leaves the values
/// alone then, unless the disk fails.
CheckpointHeader read_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                                 const std::vector<std::span<float>>& values);

/// The id of the run that wrote `file`, as its header has it; empty where it is no checkpoint.
std::string run_of(const std::filesystem::path& file);

}  // namespace adarun::trainer
