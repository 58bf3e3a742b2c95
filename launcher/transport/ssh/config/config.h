// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/reach/ssh_options.h"
#include "launcher/transport/ssh/config/lines.h"
#include "launcher/transport/ssh/config/settings.h"

namespace adarun::launcher {

/// The user's SSH configuration, read once: ~/.ssh/config and /etc/ssh/ssh_config, or only the file that the
/// options name ("none": no file).
class SshConfig {
 public:
  /// Throws Error if the file that the options name does not exist, or a line cannot be parsed.
  explicit SshConfig(const SshOptions& options);

  /// Reads text, for tests.
  SshConfig(const SshOptions& options, std::string_view text);

  /// The settings for a host. The host list overrides the options, which override the configuration. Throws
  /// Error, naming file and line, for an invalid value and for a ProxyCommand.
  SshSettings settings_for(const Host& host);

  /// The settings for a jump host, "[user@]host[:port]". The options' user and port do not apply to it, and
  /// their identity is tried before those of the configuration. Throws Error as above.
  SshSettings settings_for_jump(const std::string& jump);

  /// The names in `Host` lines, in their order, each once: without patterns and names negated by `!`.
  std::vector<std::string> named_hosts() const;

  /// Lines that apply to a host asked for so far, would change how it is reached, and are not followed: one
  /// sentence each, naming file and line.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  SshSettings settings(const Host& host);
  void note_ignored(const ConfigSelection& selection);
  void note(const ConfigLine& line, const std::string& words);

  SshOptions options_;
  std::vector<std::vector<ConfigLine>> files_;
  std::set<std::string> noted_;  ///< Places of lines with a note.
  std::vector<std::string> notes_;
};

}  // namespace adarun::launcher
