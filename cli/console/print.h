// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clean_text.h"

namespace adarun::cli {

/// Lines of aligned columns with two blanks between them and no trailing blanks. A column that has only
/// numbers below the first line is right-aligned. Every row must have as many texts as the first. Widths are
/// in characters, not bytes. The texts are made safe for a terminal by base::clean_line.
std::string columns(std::vector<std::vector<std::string>> rows);

/// A value of nlohmann's JSON for people and programs: indented, without control characters; bytes that are
/// not UTF-8 are replaced.
template <typename Json>
std::string json_text(const Json& json) {
  return base::escape_controls(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

/// Writes all of `text` to stdout. Throws on failure.
void print_all(std::string_view text);

/// Says "wrote FILE" on stderr, as every command does that has written a file for the user, unless the file
/// is "-", which is stdout.
void say_written(const std::string& file);

}  // namespace adarun::cli
