// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// Reads `--hosts LIST`: a hostfile if LIST has no '@' and a file of that name exists (or LIST contains '/'),
/// else a list, whose items `@FILE` stand for the hosts of a hostfile. Throws Error, also if a host is named
/// twice; its message begins with `option`, or with the file.
std::vector<Host> read_hosts(const std::string& list, const std::string& option = "--hosts");

/// `hosts` without those of `list`, which has the format of `read_hosts`; its device counts are ignored. A
/// host typed in `list` must be among `hosts`, as it would be a typing error; a file may name others, such as
/// a site's list of broken nodes. Throws Error, also if no host is left.
std::vector<Host> without(const std::vector<Host>& hosts, const std::string& list);

}  // namespace adarun::launcher
