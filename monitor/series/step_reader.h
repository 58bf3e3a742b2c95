// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/series/series.h"
#include "monitor/series/step_clock.h"

namespace adarun::monitor {

/// Finds the last step of each rank in the loss lines of its output as it passes through. Reads only the end
/// of large pieces, so that a rank with very much output costs little. Not thread-safe.
class StepReader {
 public:
  static constexpr std::size_t most_bytes = 4096;     ///< How much of a piece is read.
  static constexpr std::size_t streams_per_rank = 2;  ///< stdout and stderr; their lines are kept apart.

  explicit StepReader(std::size_t world_size) : ranks_(world_size) {}

  /// Reads a piece of one stream of a rank; true if the rank has reached another step.
  bool feed(std::uint32_t rank, std::size_t stream, std::string_view bytes);

  /// The position of the rank's last loss line in the run (see StepClock).
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const;

 private:
  static constexpr base::LineRules line_rules{base::log_lines.end, base::log_lines.overlong, 1024};

  struct RankProgress {
    std::array<base::LineCutter, streams_per_rank> streams{base::LineCutter(line_rules),
                                                           base::LineCutter(line_rules)};
    std::optional<Sample> last;
  };

  StepClock clock_;
  std::vector<RankProgress> ranks_;
};

}  // namespace adarun::monitor
