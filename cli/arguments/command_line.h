// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace adarun::cli {

/// A command line, taken apart before CLI11 reads it: CLI11 would change words of the program ("[1,2]"
/// becomes two).
struct CommandLine {
  std::vector<std::string> own;       ///< Words for adarun, in its own spelling.
  std::vector<std::string> trailing;  ///< The program and its arguments, unchanged.

  /// What to say if the program is not found: that a word which srun takes as the value of the option before
  /// it was the program here. Empty: nothing more.
  std::string if_not_found = {};
};

/// Takes `words`, those after "adarun", apart. The program begins behind "--", and for `launch` also at the
/// first word that is neither an option nor its value. Options that other launchers call otherwise are
/// replaced (peer_options.h), and so are mpirun's several programs (with_roles()). "help", "help COMMAND"
/// and "version" are the options of these names. Throws ExitError with exit_usage for another launcher's
/// option that has no meaning here, and for an empty word as a value or an argument.
CommandLine take_apart(const CLI::App& app, const std::vector<std::string>& words);

/// Whether `line` has several programs as mpirun has them: "-n 1 ./server : -n 3 ./worker".
bool has_colon_programs(const CommandLine& line);

/// Writes them with --role: own "-n 4 --role app0=0", trailing "./server --role app1=1-3 -- ./worker". Throws
/// ExitError with exit_usage unless each program has its -n N.
CommandLine with_roles(CommandLine line);

}  // namespace adarun::cli
