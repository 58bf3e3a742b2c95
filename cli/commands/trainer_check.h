// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::cli {

/// Has the trainer of this machine read the options that ranks will get, before anything starts. Throws Quit
/// with exit_usage and its message if it refuses them. Checks nothing without options, where `program` is not
/// installed here or does not answer within some seconds, and where --config names a file that only the nodes
/// have.
void check_trainer_options(const std::string& program, const std::vector<std::string>& options);

/// Becomes the trainer of this machine, with --help or --version as its `option`, which it answers and ends.
/// Throws Quit if it cannot be run.
[[noreturn]] void ask_trainer(const std::string& program, const std::string& option);

}  // namespace adarun::cli
