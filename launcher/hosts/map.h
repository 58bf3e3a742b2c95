// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// Maps the server_ids of a rank table to hosts, where they are no names or addresses to connect to. The
/// devices of these hosts are not used: the table has them.
using HostMap = std::map<std::string, Host, std::less<>>;

/// Lines `SERVER_ID HOST [user=NAME] [port=N]`, `#` comments. Throws Error that names file and line, also if
/// a server or a host appears twice.
HostMap parse_host_map(std::string_view text, const std::string& name);

/// `parse_host_map` of a file. Throws Error, also if it cannot be read.
HostMap read_host_map(const std::string& path);

}  // namespace adarun::launcher
