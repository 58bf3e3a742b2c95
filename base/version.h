// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::base {

/// The version of adarun and its agents, as in the file VERSION: "0.2.0".
const std::string& version();

}  // namespace adarun::base
