// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options/placement.h"

namespace adarun::cli {

/// Whether a node's ranks have devices 0, 1, 2, ... in their order, so that they need no naming.
bool has_first_devices(const ranktable::Server& server);

/// What a kind of script has no place for, said on stderr, a line for each kind of it; `script` names the
/// command ("script sbatch").
class ScriptNotes {
 public:
  ScriptNotes(std::string script, const JobPlacement& placement)
      : script_(std::move(script)), placement_(placement) {}

  /// Nodes whose names are addresses; `why` says what names are for: "Slurm knows nodes by name".
  void tell_addresses(const std::string& why) const;

  /// Nodes with other devices than the first; `why` says who chooses them.
  void tell_devices(const std::string& why) const;

  /// Nodes with a user of their own, and such with a port.
  void tell_users(const std::string& why) const;
  void tell_ports(const std::string& why) const;

 private:
  void tell(const std::vector<std::string>& things, const std::string& what) const;

  std::string script_;
  const JobPlacement& placement_;
};

}  // namespace adarun::cli
