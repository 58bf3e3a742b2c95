// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/transport/ssh/socket_address.h"

namespace adarun::launcher {

/// The address, as text, by which the other hosts of a job reach each host, chosen from all its addresses. A
/// name that resolves to a loopback address here (Debian writes 127.0.1.1 for a machine's own name) is this
/// machine: it gets its other address, else the one that this machine uses to reach the first host elsewhere,
/// which `own_address` returns ("" if there is no route). Hosts that are all on loopback addresses keep them;
/// one without an address has none. Pure, except for `own_address`.
std::vector<std::string> outside_addresses(
    const std::vector<std::vector<SocketAddress>>& hosts,
    const std::function<std::string(const SocketAddress&)>& own_address = own_address_towards);

}  // namespace adarun::launcher
