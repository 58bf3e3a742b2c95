// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace adarun::trainer {

/// What job a checkpoint is of: names and values. Jobs of which one differs cannot go on from each other's.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Where a training stood when a checkpoint was written.
struct Moment {
  int epoch = 1;
  int step = 0;                  ///< Of the epoch; the last one that was done.
  std::int64_t steps_taken = 0;  ///< By the optimizer.
  double loss_scale = 1;         ///< And how many steps it has held.
  std::int64_t taken_in_a_row = 0;

  bool operator==(const Moment&) const = default;
};

/// Writes `file`, by another name first, and returns once the disk has it. Throws Error.
void write_checkpoint(const std::filesystem::path& file, const Facts& facts, const Moment& moment,
                      const std::vector<std::span<const float>>& values);

/// Reads `file` into `values`, whose sizes are those that were written. Throws Error that says what is wrong
/// with it, the values then undefined: torn (its end is missing, or its checksum is another), no checkpoint
/// at all, or one of another job, with the fact that differs.
Moment read_checkpoint(const std::filesystem::path& file, const Facts& facts,
                       const std::vector<std::span<float>>& values);

/// Makes `bytes` the contents of `file`, by another name first, and returns once the disk has it. Throws
/// Error.
void replace_durably(const std::filesystem::path& file, const std::vector<std::span<const std::byte>>& bytes);

}  // namespace adarun::trainer
