// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// What to keep in a subset.
struct Selection {
  std::vector<std::string> server_ids;  ///< Empty: all servers.
  std::vector<int> device_ids;          ///< On each of these servers; empty: all devices.
};

/// The table with only the selected devices, in its own schema and order. Ranks are renumbered from 0, in the
/// order of the old ones; super pods and groups left without a server are removed. Throws Error on a
/// server_id that is not in the table, a device_id that a selected server does not have, and a repeated
/// selection.
AnyTable subset(const AnyTable& table, const Selection& selection);

}  // namespace adarun::ranktable
