// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// Which host a rank table's server_id stands for, where it is no name or address to connect to. The devices
/// of these hosts mean nothing: the table has them.
using HostMap = std::map<std::string, Host, std::less<>>;

/// Lines `SERVER_ID HOST [user=NAME] [port=N]`, `#` comments. Throws Error naming file and line, also where a
/// server or a host comes twice.
HostMap parse_host_map(std::string_view text, const std::string& name);

/// `parse_host_map` of a file. Throws Error, also where it cannot be read.
HostMap read_host_map(const std::string& path);

}  // namespace adarun::launcher
