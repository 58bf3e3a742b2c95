// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// What a subset keeps.
struct Selection {
  std::vector<std::string> server_ids;  ///< Empty: all servers.
  std::vector<int> device_ids;          ///< On each of them; empty: all devices.
};

/// The table with the selected devices alone, in its own schema and in the order it has. Ranks are numbered
/// anew from 0, in the order of the old ones; super pods and groups that are left without a server go. Throws
/// Error on a server_id that the table does not have, a device_id that a selected server does not have, and
/// one that is selected twice.
AnyTable subset(const AnyTable& table, const Selection& selection);

}  // namespace adarun::ranktable
