// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// What `--hosts LIST` means: a hostfile where a file of that name exists (or LIST contains '/'), else a
/// list, whose items `@FILE` stand for the hosts of a hostfile. Throws Error, also for a host that is named
/// twice.
std::vector<Host> read_hosts(const std::string& list);

/// `hosts` without those of `list`, which is one as `read_hosts` takes it; its counts do not matter. A host
/// typed in `list` must be among `hosts`, as a slip of the finger is; a file may name others, as a site's
/// list of broken nodes does. Throws Error, also where no host is left.
std::vector<Host> without(const std::vector<Host>& hosts, const std::string& list);

}  // namespace adarun::launcher
