// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::cli {

/// Lines of aligned columns, two blanks between them, nothing behind the last; a column whose texts below the
/// first line are numbers is aligned to the right. Every row has as many texts as the first. Widths are of
/// characters, not bytes. What would harm a terminal is taken out of the texts.
std::string columns(std::vector<std::vector<std::string>> rows);

}  // namespace adarun::cli
