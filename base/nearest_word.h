// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::base {

/// The one of `words` that who typed `typed` most likely meant: the one that begins with it, else the one
/// that the fewest letters left out, added, changed or swapped with their neighbour turn into it, at most a
/// third of them. Of several the first; empty where none is near.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& words);

}  // namespace adarun::base
