// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "launcher/hosts/host.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::cli {

/// The ranks of a group of a server_group table, which follow one another.
struct GroupRanks {
  std::string group_id;
  std::size_t first = 0;
  std::size_t count = 0;  ///< Never 0.

  bool operator==(const GroupRanks&) const = default;
};

/// A job's nodes, and which ranks run on them.
struct JobPlacement {
  ranktable::Table table;
  std::string table_text;  ///< The user's table, byte for byte; empty: the table was made from the hosts.
  std::vector<launcher::Host> hosts;  ///< One per server of the table, in its order.

  std::vector<launcher::Host> spares = {};

  /// The user's table, with the servers of the spares; null: the table was made from the hosts.
  std::shared_ptr<const ranktable::AnyTable> whole_table = {};
  std::map<std::string, std::string> server_of_host = {};  ///< server_id in `whole_table`, by name of host.
  std::vector<GroupRanks> groups = {};                     ///< Of a server_group table.
};

/// Sets the devices of hosts that a list leaves to them (`asked_kind`). Throws Quit.
using AskDevices = std::function<void(std::vector<launcher::Host>&)>;

/// Reads and checks table and hosts. Throws Quit for wrong usage, which includes a file that cannot be
/// opened, or for a refused table. Hosts whose devices are theirs to say are given to `ask`, all at once;
/// without it they are refused.
JobPlacement place(const LaunchOptions& options, const AskDevices& ask = {});

/// Throws Quit if AdaSum does not take `world` ranks: place() does so with --adasum.
void require_adasum_world(const LaunchOptions& options, std::size_t world);

/// The placement on other hosts, for another attempt of a job that was placed as `first`: in the order of
/// `hosts`, or in that of the user's table. With --adasum, of the first ranks only, if AdaSum does not take
/// all. Throws Quit if AdaSum takes none, or if a group of a server_group table would have no devices.
JobPlacement place_on(const std::vector<launcher::Host>& hosts, const JobPlacement& first, bool adasum);

}  // namespace adarun::cli
