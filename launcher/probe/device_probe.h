// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/probe/probe_session.h"

namespace adarun::launcher {

/// Counts the devices of a node that ranks can have, one each:
///     NPUs  /dev/davinci0, /dev/davinci1, ...; their ids are these numbers
///     GPUs  /dev/nvidia0, ...; else /dev/dri/renderD128, ... where /dev/kfd is (ROCm); ids 0, 1, ...
///     CPUs  those that the agent may run on; ids 0, 1, ...
/// Fails if there are none of the wanted kind, or more than a host of a list may have.
class DeviceProbe : public NodeProbe {
 public:
  explicit DeviceProbe(DeviceKind wanted) : wanted_(wanted) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  /// Once the probe is done: ids, and of which kind they are, never `any`.
  const std::vector<int>& devices() const { return devices_; }
  DeviceKind kind() const { return kind_; }

 private:
  void choose();

  DeviceKind wanted_;
  bool asked_ = false;
  std::vector<std::string> device_files_;  ///< Names in /dev.
  std::vector<std::string> render_files_;  ///< Names in /dev/dri.
  std::string status_;                     ///< /proc/self/status of the agent.
  std::vector<int> devices_;
  DeviceKind kind_ = DeviceKind::any;
};

}  // namespace adarun::launcher
