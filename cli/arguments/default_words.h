// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "cli/arguments/defaults.h"
#include "cli/arguments/spec_file.h"

namespace adarun::cli {

/// Whether defaults matter to this command line: it asks for no help, and its command runs something.
bool takes_defaults(const CLI::App& app, const std::vector<std::string>& words);

/// Whether those of the folder's file do: it sets options of launch, train and check only, so that no other
/// command fails because of a file that somebody else has put there.
bool takes_defaults_of_folder(const CLI::App& app, const std::vector<std::string>& words);

/// Whether a command that this default is for has its option.
bool is_known(const CLI::App& app, const Default& of);

/// Throws ExitError with exit_usage for a default of a file whose option no command has that it is for, with
/// the option that was probably meant.
void require_known(const CLI::App& app, const std::vector<Default>& defaults);

/// Reads the file of --spec of `launch`; null without that option. Values of options that take several are
/// put before those of the command line; the others go before `defaults`, to which they are added. A default
/// of --min-nodes is left out of a job of roles, which cannot have it. Throws ExitError with exit_usage.
std::shared_ptr<const SpecFile> take_spec(const CLI::App& app, std::vector<std::string>& words,
                                          std::vector<Default>& defaults);

/// Adds options to a command line, behind the command, for defaults of options that it has and that are not
/// given: "launch -n 2" -> "launch --fanout 32 -n 2". The first default of an option counts; one that
/// excludes an option that is given, or needs one that is not, is not used, and neither are help, version and
/// the options of a spec. A flag is added for true, 1, yes and on, and left out for false, 0, no, off and "".
/// Returns the defaults that were used. Throws ExitError with exit_usage for another value of a flag.
std::vector<Default> add_defaults(const CLI::App& app, std::vector<std::string>& words,
                                  const std::vector<Default>& defaults);

/// Where it is recorded which folders' files of defaults the user has allowed to say where a job runs: one
/// file for each, named by Default::digest. `$XDG_STATE_HOME/adarun/allowed`, by default
/// `~/.local/state/adarun/allowed`; empty without a home.
std::filesystem::path folder_of_allowed();

/// Records in `folder` that the file of this digest, at `file`, is allowed. Throws ExitError if that cannot
/// be.
void allow_defaults(const std::filesystem::path& folder, const std::string& digest, const std::string& file);

/// Of defaults, those of a folder's file that set where a job runs: hosts, rank-table, user, port, spare.
std::vector<Default> places_of_folder(const std::vector<Default>& defaults);

/// Says in a line which of the defaults in use a folder's file has set where a job runs. Throws ExitError
/// with exit_usage if variables or files of the user's (--env, --env-file, --stage, variables in the roles of
/// `spec`, which may be null) would go there and `allowed` does not have the file. `words`: the command line
/// with all defaults.
void check_folder_defaults(const CLI::App& app, const std::vector<std::string>& words,
                           const std::vector<Default>& used, const SpecFile* spec,
                           const std::filesystem::path& allowed, base::Log& log);

}  // namespace adarun::cli
