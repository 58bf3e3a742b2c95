// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "cli/arguments/defaults.h"
#include "cli/arguments/spec_file.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Where it is recorded which folders' files of defaults the user has allowed to say where a job runs: one
/// file for each, named by Default::digest. `$XDG_STATE_HOME/adarun/allowed`, by default
/// `~/.local/state/adarun/allowed`; empty without a home.
std::filesystem::path folder_of_allowed();

/// Records in `folder` that the file of this digest, at `file`, is allowed. Throws Quit if that cannot be.
void allow_defaults(const std::filesystem::path& folder, const std::string& digest, const std::string& file);

/// Of defaults, those of a folder's file that set where a job runs: hosts, rank-table, user, port, spare.
std::vector<Default> places_of_folder(const std::vector<Default>& defaults);

/// Says in a line which of the defaults in use a folder's file has set where a job runs. Throws Quit with
/// exit_usage if variables or files of the user's (--env, --env-file, --stage, variables in the roles of
/// `spec`, which may be null) would go there and `allowed` does not have the file. `words`: the command line
/// with all defaults.
void check_folder_defaults(const CLI::App& app, const std::vector<std::string>& words,
                           const std::vector<Default>& used, const SpecFile* spec,
                           const std::filesystem::path& allowed, base::Log& log);

}  // namespace adarun::cli
