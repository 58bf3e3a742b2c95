// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adarun::launcher::agent {

/// Measures the link to a node whose LinkServer is at `address` and `port`: time there and back in ns,
/// bytes/s to it, bytes/s from it. Takes about 0.25 s. Throws agent::Error.
std::vector<std::uint64_t> measure_link(const std::string& address, std::uint16_t port,
                                        const std::string& secret);

}  // namespace adarun::launcher::agent
