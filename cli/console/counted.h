// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace adarun::cli {

/// "4,093"
std::string grouped(std::size_t number);

/// "1 server", "4,093 servers"
std::string counted(std::size_t count, const std::string& thing);

}  // namespace adarun::cli
