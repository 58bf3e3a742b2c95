// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// The smallest IPv4 network, as "10.77.0.0/30", that holds all addresses, so that every node's own address
/// picks the interface to use; "127.0.0.0/8" for loopback addresses. "" where an address is missing, is not
/// IPv4, or nothing is common to them. A single address gives its /32.
std::string common_network(const std::vector<std::string>& addresses);

}  // namespace adarun::launcher
