// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace adarun::monitor {

/// A line that says why our training ended: the gradients of `rank`, and of no lower rank, contained nan or
/// an infinity.
struct GradientLine {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::uint32_t rank = 0;

  bool operator==(const GradientLine&) const = default;
};

/// Reads a line "In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, ...", which every rank prints
/// identically; nothing for other lines.
std::optional<GradientLine> parse_gradient_line(std::string_view line);

}  // namespace adarun::monitor
