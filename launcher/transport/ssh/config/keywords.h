// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/transport/ssh/config/line.h"

namespace adarun::launcher {

/// Whether adarun follows lines with this keyword (in lower case).
bool is_followed(const std::string& keyword);

/// Whether a line that is not followed does not change how adarun connects: settings of terminals,
/// forwarding, keep-alive and logging, and those that ask for what adarun does anyway.
bool is_harmless(const ConfigLine& line);

}  // namespace adarun::launcher
