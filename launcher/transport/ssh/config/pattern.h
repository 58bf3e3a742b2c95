// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Whether `text` is what `pattern` stands for: `*` is any text, `?` any character. Names of hosts are
/// compared in lower case by those who ask.
bool matches_pattern(std::string_view text, std::string_view pattern);

/// Whether one of the patterns stands for `text` and none of those behind a `!` does.
bool matches_patterns(std::string_view text, const std::vector<std::string>& patterns);

/// "a,b" -> "a", "b"; empty items are left out.
std::vector<std::string> split_commas(std::string_view list);

std::string lower_case(std::string_view text);

}  // namespace adarun::launcher
