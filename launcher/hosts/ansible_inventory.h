// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// Whether a text is an inventory of Ansible: it has a section such as [workers], the key `hosts:` of YAML,
/// or a variable that begins with ansible_.
bool is_inventory(std::string_view text);

/// The hosts of an inventory, INI or YAML, in the order of the file: those of `group` and of its children,
/// or, if it is empty or "all", of the whole file. ansible_host, ansible_user and ansible_port say where they
/// are, slots and devices mean the same as in a hostfile, and other variables are not used. Variables of
/// groups hold as in Ansible. Throws Error that begins with `name`, also for a group that is not there, for
/// an empty `group` where groups have different hosts, and for variables that reach a host in another way.
std::vector<Host> parse_inventory(std::string_view text, const std::string& name, const std::string& group);

/// "group_vars/all.yml: ansible_user": the first variable in a file that Ansible reads beside an inventory,
/// and adarun does not, which says where hosts are. Looks at 1000 files of group_vars and host_vars, at the
/// first 64 KiB of each. Empty if there is none.
std::string unread_variable_beside(const std::string& inventory);

}  // namespace adarun::launcher
