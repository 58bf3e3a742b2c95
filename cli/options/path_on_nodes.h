// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/probe/card_sources.h"

namespace adarun::cli {

/// A path that a user means on nodes, made absolute, since agents start in the login's home: a relative one
/// is seen from the folder that adarun runs in; an empty one is that folder.
std::string path_on_nodes(const std::string& path);

/// Likewise of a program, where one without '/' stays: it is looked up in PATH there.
std::string program_on_nodes(const std::string& program);

/// Likewise both sources of card addresses.
launcher::CardSources sources_on_nodes(launcher::CardSources sources);

}  // namespace adarun::cli
