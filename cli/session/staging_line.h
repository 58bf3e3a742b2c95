// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "launcher/stage/staging.h"

namespace adarun::cli {

/// Progress of staging, as a status line for a terminal.
std::string staging_line(const launcher::StageProgress& progress);

/// Result of staging: "staged 1 file (100 MB) on 8 nodes in 1.2 s: 800 MB sent".
std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time);

}  // namespace adarun::cli
