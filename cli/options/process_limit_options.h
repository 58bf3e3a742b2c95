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

/// Adds what each rank's process is given: --bind, --stdout, --umask, --ulimit.
void add_process_limits(CLI::App& command, launcher::protocol::ProcessLimits& process_limits);

/// "core=unlimited", "nofile=65536", "nofile=1024:65536" (soft:hard). Nothing where it is no such text.
std::optional<launcher::protocol::Limit> parse_limit(const std::string& text);

/// "027" -> the mask. Nothing where it is no octal number up to 777.
std::optional<int> parse_umask(const std::string& text);

/// As they are written on the command line: "core", "pipe", "027", "unlimited" or a number.
const char* name_of(launcher::protocol::Bind bind);
const char* name_of(launcher::protocol::Stdout out);
std::string umask_text(int mask);
std::string limit_text(std::uint64_t value);

/// As `trap` of a shell has it: "HUP".
std::string signal_name(int number);

}  // namespace adarun::cli
