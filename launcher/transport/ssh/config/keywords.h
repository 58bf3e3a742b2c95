// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/transport/ssh/config/line.h"

namespace adarun::launcher {

/// Whether adarun does what a line with this keyword (in lower case) says.
bool is_followed(const std::string& keyword);

/// Whether a line that is not followed changes nothing about how adarun connects: the comfort of a terminal,
/// forwardings, keeping alive, logging, and what asks for what adarun does anyhow.
bool is_harmless(const ConfigLine& line);

}  // namespace adarun::launcher
