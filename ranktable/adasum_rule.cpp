// SPDX-License-Identifier: Apache-2.0
#include "ranktable/adasum_rule.h"

#include <bit>

namespace adarun::ranktable {

std::optional<std::string> adasum_refusal(std::size_t world_size) {
  if (world_size >= 16 && std::has_single_bit(world_size)) return std::nullopt;
  return "The device_num must be at least 16 and must be the power of 2 when applying adasum.";
}

}  // namespace adarun::ranktable
