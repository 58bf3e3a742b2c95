// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// A list on the command line: `node[1-4,7]:8,me@gpu9:4,[fe80::1%eth0]:8`. Bracketed ranges keep leading
/// zeros (`n[01-16]`). After the last colon comes the number of devices, numbered from 0; without it one. At
/// most 2^20 devices in all, here and in a hostfile. Throws Error.
std::vector<Host> parse_host_list(std::string_view text);

/// One host to log in to: `[user@]host[:port]`, with an IPv6 address in brackets; its devices are not used.
/// Throws Error.
Host parse_login(std::string_view text);

/// A hostfile: one host a line, `#` comments:
///     node1 slots=8 user=me port=2222
///     me@node2 devices=0,1,4,5
/// `name` is the file's name for messages. Throws Error that names file and line.
std::vector<Host> parse_hostfile(std::string_view text, const std::string& name);

/// One line of a hostfile, without a comment: the hosts it names, none if it is blank. Throws Error whose
/// message begins with `where`.
std::vector<Host> parse_hostfile_line(std::string_view line, const std::string& where);

/// Throws Error, whose message begins with `where`, if a host is named twice or there is none.
void refuse_twins(const std::vector<Host>& hosts, const std::string& where);

/// Devices 0..count-1.
std::vector<int> first_devices(int count);

}  // namespace adarun::launcher
