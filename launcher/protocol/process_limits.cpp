// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/process_limits.h"

#include <sys/resource.h>

#include <array>
#include <utility>

namespace adarun::launcher::protocol {
namespace {

// The names that limits.conf(5) and container tools use.
constexpr std::array<std::pair<std::string_view, std::uint8_t>, 12> limits{{
    {"as", RLIMIT_AS},
    {"core", RLIMIT_CORE},
    {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE},
    {"memlock", RLIMIT_MEMLOCK},
    {"msgqueue", RLIMIT_MSGQUEUE},
    {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},
    {"rtprio", RLIMIT_RTPRIO},
    {"sigpending", RLIMIT_SIGPENDING},
    {"stack", RLIMIT_STACK},
}};

}  // namespace

std::optional<std::uint8_t> limit_named(std::string_view name) {
  for (const auto& [known, resource] : limits)
    if (known == name) return resource;
  return std::nullopt;
}

std::string name_of_limit(std::uint8_t resource) {
  for (const auto& [known, number] : limits)
    if (number == resource) return std::string(known);
  return "limit " + std::to_string(resource);
}

std::string names_of_limits() {
  std::string text;
  for (const auto& [name, resource] : limits) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace adarun::launcher::protocol
