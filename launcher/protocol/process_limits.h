// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher::protocol {

/// Which CPUs of a node a rank may run on, among those that the agent itself may use.
enum class Bind : std::uint8_t {
  none,  ///< Any.
  core,  ///< One core, with all its hardware threads.
  numa,  ///< Those of one NUMA node.
};

/// The kind of a program's stdout.
enum class Stdout : std::uint8_t {
  terminal,  ///< Programs flush each line to a terminal.
  pipe,      ///< Takes a tenth of the processor time if a program prints megabytes.
};

/// What a rank reads from stdin.
enum class Stdin : std::uint8_t {
  none,       ///< /dev/null.
  if_mpi,     ///< As `passed_on` where its program is linked with an MPI library, else /dev/null.
  passed_on,  ///< A pipe with what the launcher reads from its own stdin.
};

/// A resource limit, as in setrlimit(2).
struct Limit {
  std::uint8_t resource = 0;  ///< RLIMIT_*.
  std::uint64_t soft = 0;     ///< All bits set: unlimited.
  std::uint64_t hard = 0;

  void fields(auto& archive) { archive(resource, soft, hard); }
  bool operator==(const Limit&) const = default;
};

/// What every rank's process is given before its program is executed.
struct ProcessLimits {
  Bind bind = Bind::none;
  std::int32_t umask = -1;  ///< Negative: the agent's own.
  std::vector<Limit> limits;
  Stdout out = Stdout::terminal;
  std::vector<std::uint8_t> ignored;  ///< Signals to ignore, because adarun ignores them: any of HUP, INT and
                                      ///< QUIT.

  void fields(auto& archive) { archive(bind, umask, limits, out, ignored); }
  bool operator==(const ProcessLimits&) const = default;
};

/// The resource limit that a user knows by `name`, such as "core", "nofile", "memlock": a RLIMIT_*.
std::optional<std::uint8_t> limit_named(std::string_view name);

/// The inverse of limit_named; "limit 77" for an unknown one.
std::string name_of_limit(std::uint8_t resource);

/// All names, for messages: "as, core, cpu, ...".
std::string names_of_limits();

}  // namespace adarun::launcher::protocol
