// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/ssh/config/line.h"
#include "launcher/transport/ssh/config/selection.h"
#include "launcher/transport/ssh/config/settings.h"
#include "launcher/transport/ssh/config/ssh_options.h"

namespace adarun::launcher {

/// The user's SSH configuration, read once: ~/.ssh/config and /etc/ssh/ssh_config, or the file that the
/// options name alone ("none": no file).
class SshConfig {
 public:
  /// Throws Error where the file that the options name is not there, or a line cannot be read.
  explicit SshConfig(const SshOptions& options);

  /// Of text, for tests.
  SshConfig(const SshOptions& options, std::string_view text);

  /// What holds for a host. What the host list says wins over the options, which win over the configuration.
  /// Throws Error, naming file and line, for a value that makes no sense and for a ProxyCommand.
  SshSettings settings_for(const Host& host);

  /// What holds for a host to go through, "[user@]host[:port]". The options' user and port are not for it,
  /// and their identity is tried before those of the configuration. Throws Error as above.
  SshSettings settings_for_jump(const std::string& jump);

  /// The names that stand in `Host` lines, in their order, each once: neither patterns nor what is behind a
  /// `!`.
  std::vector<std::string> named_hosts() const;

  /// Lines that hold for a host asked for so far, would change how it is reached, and are not followed: one
  /// sentence each, naming file and line.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  SshSettings settings(const Host& host);
  void note_ignored(const ConfigSelection& selection);
  void note(const ConfigLine& line, const std::string& words);

  SshOptions options_;
  std::vector<std::vector<ConfigLine>> files_;
  std::set<std::string> noted_;  ///< Places of lines.
  std::vector<std::string> notes_;
};

}  // namespace adarun::launcher
