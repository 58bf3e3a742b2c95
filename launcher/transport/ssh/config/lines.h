// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"

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

/// The lines of a configuration that apply to one host, by keyword: of each the first, and of IdentityFile
/// all.
struct ConfigSelection {
  std::map<std::string, const ConfigLine*> first;
  std::vector<const ConfigLine*> identities;
  std::vector<const ConfigLine*>
      not_understood;  ///< `Match` lines with unsupported criteria; they do not match.

  bool has(const std::string& keyword) const { return first.count(keyword) > 0; }

  /// The first argument of a line, `otherwise` if there is none or it is empty.
  std::string text(const std::string& keyword, const std::string& otherwise = "") const;
  std::vector<std::string> list(const std::string& keyword) const;
};

/// The lines of some files that apply to a host by its name and user, those of the first file before those of
/// the second. `Match` is supported with all, host, originalhost, user, localuser, final and canonical;
/// nothing is executed. `files` must outlive the selection.
ConfigSelection select_lines(const std::vector<std::vector<ConfigLine>>& files, const Host& host);

}  // namespace adarun::launcher
