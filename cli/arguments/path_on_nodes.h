// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/probe/card_sources.h"

namespace adarun::cli {

/// Makes a user's path for the nodes absolute, because agents start in the login's home. A relative path is
/// relative to the current folder of adarun; an empty path is that folder.
std::string path_on_nodes(const std::string& path);

/// The same for a program, except that a name without '/' is unchanged: the node looks it up in PATH.
std::string program_on_nodes(const std::string& program);

/// The same for both sources of card addresses.
launcher::CardSources sources_on_nodes(launcher::CardSources sources);

}  // namespace adarun::cli
