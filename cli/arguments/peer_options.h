// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace adarun::cli {

/// What an option of mpirun, mpiexec, horovodrun, torchrun, msrun, srun or docker is here.
struct PeerOption {
  enum class Kind {
    synonym,   ///< `own`, which may have its value behind a "=", means the same.
    variable,  ///< `own` is the beginning of a variable, whose name and value are behind it: two words or
               ///< NAME=VALUE.
    needless,  ///< It asks for what happens anyway: left out.
    refused,   ///< It means something else here, or nothing: `own` says what to type.
  };

  std::string_view name;
  Kind kind = Kind::synonym;
  std::string_view own;
};

/// The option of that name, with its dashes; nullopt: no other tool's that is known. For a refused one of one
/// letter its number may follow at once: "-N2" is found as "-N". The result borrows `name`.
std::optional<PeerOption> find_peer_option(std::string_view name);

/// The command of adarun that does what a command of docker, kubectl or Slurm does, such as "stop" for
/// "kill", or that belongs behind "ranktable"; empty: none that is known.
std::string own_command_for(std::string_view word);

}  // namespace adarun::cli
