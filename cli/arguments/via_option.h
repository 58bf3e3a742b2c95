// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/node_options.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Adds --via: ssh, slurm, local, the name of a preset command, exec:WORDS (see launcher::RemoteCommand), or
/// auto, which chooses by the variables of batch systems. `--via help` prints the presets and ends the
/// program with status 0. `options` must outlive the parse.
void add_via(CLI::App& command, NodeOptions& options);

}  // namespace adarun::cli
