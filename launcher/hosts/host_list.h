// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// A list on the command line: `node[1-4,7]:8,me@gpu9:4-7,[fe80::1%eth0]:8`. Bracketed ranges keep leading
/// zeros (`n[01-16]`). After the last colon comes the number of devices, numbered from 0, or a range of them
/// (`4-7`), or a word that leaves them to the node (`auto`, `npu`, `gpu`, `cpu`); without it one. A number
/// that may be meant for SSH's port (`node1:22`) is refused; `ssh://[USER@]HOST[:PORT]` has one. At most 2^20
/// devices in all, here and in a hostfile. Throws Error, whose message begins with `option`.
std::vector<Host> parse_host_list(std::string_view text, const std::string& option = "--hosts");

/// One host to log in to: `[user@]host[:port]`, with an IPv6 address in brackets; its devices are not used.
/// Throws Error.
Host parse_login(std::string_view text);

/// The host of "ssh://me@node1:2222", with one device; nothing if `text` is no address with a scheme. Throws
/// Error, whose message begins with `where`, for another scheme, or what is no host and port.
std::optional<Host> url_host(std::string_view text, const std::string& where);

/// Reads `--hosts LIST`: a hostfile if LIST has no '@' and a file of that name exists (or LIST contains '/'),
/// else a list, whose items `@FILE` and `^FILE` stand for the hosts of a hostfile. FILE may also be an
/// inventory of Ansible, `FILE:GROUP` one group of it. Throws Error, also if a host is named twice, or once
/// with its domain and once without; its message begins with `option`, or with the file.
std::vector<Host> read_hosts(const std::string& list, const std::string& option = "--hosts");

/// A sentence about what Ansible would read of the inventory that `list` is, or beside it
/// (unread_variable_beside()), and adarun does not; empty if there is nothing. Call after read_hosts().
std::string unread_variable(const std::string& list);

/// `hosts` without those of `list`, which has the format of `read_hosts`; its device counts are ignored. A
/// name with a domain and the same one without are one host. A host typed in `list` must be among `hosts`, as
/// it would be a typing error; a file may name others, such as a site's list of broken nodes. Throws Error,
/// also if no host is left.
std::vector<Host> without(const std::vector<Host>& hosts, const std::string& list);

}  // namespace adarun::launcher
