// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {

/// One line of an ssh configuration.
struct ConfigLine {
  std::string keyword;                 ///< In lower case; the usual one, where OpenSSH takes several.
  std::string spelling;                ///< As it was written.
  std::vector<std::string> arguments;  ///< Without their quotes.
  std::string place;                   ///< "FILE:LINE".

  /// The lines of an `Include`, file by file: a block ends with its file.
  std::vector<std::vector<ConfigLine>> included;

  /// The arguments, one blank between them.
  std::string text() const;

  /// Throws Error that names the line: its place, keyword and `argument`.
  [[noreturn]] void refuse(const std::string& argument, const std::string& why) const;

  /// One of its arguments with tokens replaced: see expand_tokens(). Throws Error as above.
  std::string expanded(const std::string& argument, const Tokens& tokens, Value value = Value::text) const;
};

/// The lines of a configuration's text, without blank ones and comments; `file` is its name for messages.
/// Throws Error for a quote that does not end.
std::vector<ConfigLine> parse_config_lines(std::string_view text, const std::string& file);

/// The lines of a file and of all that it includes; none if it is not there or cannot be read. `folder`: base
/// of relative names of included files. Throws Error, also if files include each other.
std::vector<ConfigLine> read_config_lines(const std::string& file, const std::filesystem::path& folder);

/// A block whose `Match` line has criteria that are not supported, and whose other criteria all hold. It is
/// taken not to hold.
struct SkippedBlock {
  const ConfigLine* match = nullptr;
  std::vector<const ConfigLine*> lines;
};

/// The lines of a configuration that apply to one host, by keyword: of each the first, and of IdentityFile
/// all that differ.
struct ConfigSelection {
  std::string hostname;  ///< Of the host, or what HostName makes of it; in lower case, unless an address.
  std::map<std::string, const ConfigLine*> first;
  std::vector<const ConfigLine*> identities;
  std::vector<SkippedBlock> skipped;

  bool has(const std::string& keyword) const { return first.count(keyword) > 0; }

  /// The first argument of a line, `otherwise` if there is none or it is empty.
  std::string text(const std::string& keyword, const std::string& otherwise = "") const;
  std::vector<std::string> list(const std::string& keyword) const;
};

/// The lines of some files that apply to a host by its name and user, those of the first file before those of
/// the second. As OpenSSH does, reads them a second time if a `Match` has `final` or CanonicalizeHostname is
/// on: `Host` is then compared with the HostName that the first pass has found, which stays. `Match` is
/// supported with all, host, originalhost, user, localuser, tagged, final and canonical; nothing is executed
/// and no name looked up. `files` must outlive the selection. Throws Error.
ConfigSelection select_lines(const std::vector<std::vector<ConfigLine>>& files, const Host& host);

}  // namespace adarun::launcher
