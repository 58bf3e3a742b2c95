// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace adarun::monitor {

/// What our trainer prints about the vectors that AdaSum combined.
struct AdasumLine {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  double orthogonality = 0;  ///< Over all layers. `lowest` and `highest` are the extremes of a single layer.
  double lowest = 0;
  double highest = 0;
  double cosine = 0;

  bool operator==(const AdasumLine&) const = default;
};

/// Reads "adasum: epoch 1 step 10, orthogonality 0.132 (0.073 conv1.bias - 0.204 fc1.weight), cosine 0.424";
/// nothing for other lines.
std::optional<AdasumLine> parse_adasum_line(std::string_view line);

}  // namespace adarun::monitor
