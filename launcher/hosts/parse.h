// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// A list on the command line: `node[1-4,7]:8,gpu9:4`. Bracketed ranges keep leading zeros (`n[01-16]`).
/// Behind the last colon: how many devices, numbered from 0; none: one. At most 2^20 devices in all, here and
/// in a hostfile. Throws Error.
std::vector<Host> parse_host_list(std::string_view text);

/// A hostfile: one host a line, `#` comments:
///     node1 slots=8 user=me port=2222
///     node2 devices=0,1,4,5
/// `name` is the file's name for messages. Throws Error naming file and line.
std::vector<Host> parse_hostfile(std::string_view text, const std::string& name);

/// What `--hosts LIST` means: a hostfile where a file of that name exists (or LIST contains '/'), else a
/// list. Throws Error, also for a host that is named twice.
std::vector<Host> read_hosts(const std::string& list);

/// Devices 0..count-1.
std::vector<int> first_devices(int count);

}  // namespace adarun::launcher
