// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace adarun::ranktable {

/// The sets of four cards that HCCL takes on Ascend 910, whose cards 0-3 and 4-7 are rings of their own; bit
/// i for card i: 0123 4567 0145 0246 0347 1256 1357 2367.
inline constexpr std::array<std::uint32_t, 8> sets_of_four{0x0F, 0xF0, 0x33, 0x55, 0x99, 0x66, 0xAA, 0xCC};

}  // namespace adarun::ranktable
