// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::cli {

/// Lines of aligned columns with two blanks between them and no trailing blanks. A column that has only
/// numbers below the first line is right-aligned. Every row must have as many texts as the first. Widths are
/// in characters, not bytes. The texts are made safe for a terminal by base::clean_line.
std::string columns(std::vector<std::vector<std::string>> rows);

}  // namespace adarun::cli
