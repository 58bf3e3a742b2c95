// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::base {

/// The word of `words` that a user who typed `typed` most likely meant: one that begins with it, else the one
/// at the smallest edit distance (letters left out, added, changed or swapped with their neighbour), at most
/// a third of the typed letters, at least 1. Of several the first; empty if none is near.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace adarun::base
