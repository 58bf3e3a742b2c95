// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/protocol/process_limits.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Adds the options for each rank's process: --bind, --stdout, --umask, --ulimit.
void add_process_limits(CLI::App& command, launcher::protocol::ProcessLimits& process_limits);

/// Parses "core=unlimited", "nofile=65536", "nofile=1024:65536" (soft:hard); nullopt for any other text.
std::optional<launcher::protocol::Limit> parse_limit(const std::string& text);

/// Parses an octal mask such as "027"; nullopt if it is not an octal number up to 777.
std::optional<int> parse_umask(const std::string& text);

/// As written on the command line: "core", "pipe", "027", "unlimited" or a number.
const char* name_of(launcher::protocol::Bind bind);
const char* name_of(launcher::protocol::Stdout out);
std::string umask_text(int mask);
std::string limit_text(std::uint64_t value);

}  // namespace adarun::cli
