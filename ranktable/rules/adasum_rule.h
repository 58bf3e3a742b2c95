// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace adarun::ranktable {

/// Why AdaSum does not take so many ranks, in the words that users know; nothing where it does: at least 16
/// of them, and a power of two.
std::optional<std::string> adasum_refusal(std::size_t world_size);

}  // namespace adarun::ranktable
