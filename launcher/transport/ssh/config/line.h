// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// One line of an ssh configuration.
struct ConfigLine {
  std::string keyword;                 ///< In lower case.
  std::string spelling;                ///< As it was written.
  std::vector<std::string> arguments;  ///< Without their quotes.
  std::string place;                   ///< "FILE:LINE".

  /// The lines of an `Include`, file by file: a block ends with its file.
  std::vector<std::vector<ConfigLine>> included;

  /// The arguments, one blank between them.
  std::string text() const;
};

/// The lines of a configuration's text, without blank ones and comments; `file` is its name for messages.
/// Throws Error for a quote that does not end.
std::vector<ConfigLine> parse_config_lines(std::string_view text, const std::string& file);

/// The lines of a file and of all that it includes; none if it is not there or cannot be read. `folder`: base
/// of relative names of included files. Throws Error, also if files include each other.
std::vector<ConfigLine> read_config_lines(const std::string& file, const std::filesystem::path& folder);

}  // namespace adarun::launcher
