// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Whether `text` matches `pattern`: `*` is any text, `?` any character. The caller converts host names to
/// lower case.
bool matches_pattern(std::string_view text, std::string_view pattern);

/// Whether `text` matches one of the patterns and none of those negated by `!`.
bool matches_patterns(std::string_view text, const std::vector<std::string>& patterns);

/// "a,b" -> "a", "b"; empty items are left out.
std::vector<std::string> split_commas(std::string_view list);

std::string lower_case(std::string_view text);

}  // namespace adarun::launcher
