// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace adarun::launcher::agent {

/// How long what an agent could not deliver waits to be called for.
inline constexpr std::chrono::hours spool_keep_time{7 * 24};

/// Where the agent of a node keeps what it cannot deliver:
/// `$XDG_CACHE_HOME/adarun/spool/<job>-<node>/stream`, by default under ~/.cache. Empty where the user has no
/// such folder, or `job_id` is no plain name.
std::string spool_path(const std::string& job_id, std::uint32_t node);

/// Removes such a file and its folder.
void remove_spool(const std::string& path);

/// Removes those of the user that nobody has called for in time.
void remove_old_spools();

}  // namespace adarun::launcher::agent
