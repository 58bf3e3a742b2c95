// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/transport/ssh/socket_address.h"

namespace adarun::launcher {

/// The address by which the other hosts of a job reach each one, as text, out of all addresses of each host.
/// Where a name leads to a loopback address here (Debian writes 127.0.1.1 for a machine's own name), it is
/// this machine: then it is known outside by its other address, or by the one that this machine has on the
/// way to the first host elsewhere, which is what `own_address` gives ("" where there is no way). Hosts that
/// are all on loopback addresses keep them; one without an address has none. Pure, but for `own_address`.
std::vector<std::string> outside_addresses(
    const std::vector<std::vector<SocketAddress>>& hosts,
    const std::function<std::string(const SocketAddress&)>& own_address = own_address_towards);

}  // namespace adarun::launcher
