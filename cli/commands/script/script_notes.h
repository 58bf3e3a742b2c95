// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/placement.h"

namespace adarun::cli {

/// Whether a node's ranks have devices 0, 1, 2, ... in order, so that devices need not be listed.
bool has_first_devices(const ranktable::Server& server);

/// Prints warnings on stderr about settings that a kind of script cannot express, one line per kind of
/// setting. `script` names the command ("script sbatch").
class ScriptNotes {
 public:
  ScriptNotes(std::string script, const launcher::Placement& placement)
      : script_(std::move(script)), placement_(placement) {}

  /// Warns of nodes named by address; `why`: why that is a problem, "Slurm knows nodes by name".
  void tell_addresses(const std::string& why) const;

  /// Warns of nodes with other devices than the first; `what` becomes of them: "left out: ...".
  void tell_devices(const std::string& what) const;

  /// Warn of nodes that have their own user, or port.
  void tell_users(const std::string& why) const;
  void tell_ports(const std::string& why) const;

  /// Warns of the first of `things`, and how many more there are; none: nothing.
  void tell(const std::vector<std::string>& things, const std::string& what) const;

 private:
  std::string script_;
  const launcher::Placement& placement_;
};

}  // namespace adarun::cli
