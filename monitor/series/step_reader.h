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

/// The last step of each rank, read from the loss lines of its output while that passes by. Of large pieces
/// only the end is looked at, so that a rank which prints flat out costs next to nothing. Not thread-safe.
class StepReader {
 public:
  static constexpr std::size_t most_bytes = 4096;     ///< Of a piece that are looked at.
  static constexpr std::size_t streams_per_rank = 2;  ///< A rank's stdout and stderr do not mix in a line.

  explicit StepReader(std::size_t world_size) : ranks_(world_size) {}

  /// Takes a piece of one of the streams of a rank; true where the rank has come to another step.
  bool feed(std::uint32_t rank, std::size_t stream, std::string_view bytes);

  /// The position of its last loss line in the run (see StepClock).
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
