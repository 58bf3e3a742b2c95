// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace adarun::launcher {

/// What a node is asked for: its NPUs, its GPUs, the CPUs that it may use, or the first of these that it has.
enum class DeviceKind { any, npu, gpu, cpu };

/// One node to run ranks on, and how to reach it.
struct Host {
  std::string name;          ///< As the user wrote it: a name, an address, or an alias of the ssh config.
  std::vector<int> devices;  ///< Physical ids of the devices to use, one rank each; never empty.
  std::string user;          ///< Empty: as ssh would choose.
  int port = 0;              ///< 0: as ssh would choose.
  bool counted = false;      ///< The list gives the devices; else `devices` is device 0 alone.

  /// The list leaves the devices to the node (`node1:auto`), and it was not asked yet: `devices` is device 0
  /// alone, and `counted` is set.
  std::optional<DeviceKind> asked_kind = std::nullopt;

  bool operator==(const Host&) const = default;
};

}  // namespace adarun::launcher
