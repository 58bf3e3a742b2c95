// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adarun::launcher::protocol {

/// The resource limit that a user knows by `name`, such as "core", "nofile", "memlock": a RLIMIT_*.
std::optional<std::uint8_t> limit_named(std::string_view name);

/// The other way round; "limit 77" where there is none.
std::string name_of_limit(std::uint8_t resource);

/// All names, for messages: "as, core, cpu, ...".
std::string names_of_limits();

}  // namespace adarun::launcher::protocol
