// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace adarun::ranktable {

/// Why AdaSum does not accept this number of ranks, in the reference's words; nothing if it does: at least
/// 16, and a power of two.
std::optional<std::string> adasum_refusal(std::size_t world_size);

}  // namespace adarun::ranktable
