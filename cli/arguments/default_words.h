// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/defaults.h"
#include "cli/arguments/spec_file.h"

namespace CLI {
class App;
}

namespace adarun::cli {

/// Whether defaults matter to this command line: it asks for no help, and its command runs something.
bool takes_defaults(const CLI::App& app, const std::vector<std::string>& words);

/// Whether those of the folder's file do: it sets options of launch, train and check only, so that no other
/// command fails because of a file that somebody else has put there.
bool takes_defaults_of_folder(const CLI::App& app, const std::vector<std::string>& words);

/// Whether a command that this default is for has its option.
bool is_known(const CLI::App& app, const Default& of);

/// Throws Quit with exit_usage for a default of a file whose option no command has that it is for, with the
/// option that was probably meant.
void require_known(const CLI::App& app, const std::vector<Default>& defaults);

/// Reads the file of --spec of `launch`; null without that option. Values of options that take several are
/// put before those of the command line; the others go before `defaults`, to which they are added. A default
/// of
/// --min-nodes is left out of a job of roles, which cannot have it. Throws Quit with exit_usage.
std::shared_ptr<const SpecFile> take_spec(const CLI::App& app, std::vector<std::string>& words,
                                          std::vector<Default>& defaults);

/// Adds options to a command line, behind the command, for defaults of options that it has and that are not
/// given: "launch -n 2" -> "launch --fanout 32 -n 2". The first default of an option counts; one that
/// excludes an option that is given, or needs one that is not, is not used, and neither are help, version and
/// the options of a spec. A flag is added for true, 1, yes and on, and left out for false, 0, no, off and "".
/// Returns the defaults that were used. Throws Quit with exit_usage for another value of a flag.
std::vector<Default> add_defaults(const CLI::App& app, std::vector<std::string>& words,
                                  const std::vector<Default>& defaults);

}  // namespace adarun::cli
