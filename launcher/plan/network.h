// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// The smallest IPv4 network, such as "10.77.0.0/30", that contains all addresses, so that each node can
/// select its interface by it; "127.0.0.0/8" for loopback addresses. "" if an address is missing or is not
/// IPv4, or if they have no common prefix. A single address gives its /32.
std::string common_network(const std::vector<std::string>& addresses);

}  // namespace adarun::launcher
