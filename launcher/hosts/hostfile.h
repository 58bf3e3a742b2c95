// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// A hostfile: one host a line, `#` comments:
///     node1 slots=8 user=me port=2222
///     me@node2 devices=0,1,4,5
///     node3 slots=auto
/// Also as MPICH writes it (`node1:8`), with Open MPI's `slots = 8` and `max_slots=N` (at least as many),
/// with addresses (`ssh://me@node1:2222`), and as PBS does: a name that stands alone in several lines has so
/// many devices. `name` is the file's name for messages. Throws Error that names file and line.
std::vector<Host> parse_hostfile(std::string_view text, const std::string& name);

/// Gives a host a setting of a hostfile, such as "slots=8". Throws Error whose message begins with `where`.
void apply_setting(Host& host, std::string_view setting, const std::string& where);

/// Maps the server_ids of a rank table to hosts, where they are no names or addresses to connect to. The
/// devices of these hosts are not used: the table has them.
using HostMap = std::map<std::string, Host, std::less<>>;

/// Lines `SERVER_ID HOST [user=NAME] [port=N]`, `#` comments. Throws Error that names file and line, also if
/// a server or a host appears twice.
HostMap parse_host_map(std::string_view text, const std::string& name);

/// `parse_host_map` of a file. Throws Error, also if it cannot be read.
HostMap read_host_map(const std::string& path);

}  // namespace adarun::launcher
