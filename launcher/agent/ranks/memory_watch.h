// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Tells whether the kernel has killed a process for lack of memory since this object was made, from the
/// kernel's counters: that of the rank's control group if there is one, else that of the whole machine.
class MemoryWatch {
 public:
  /// `group_events`: memory.events of the rank's control group, or empty. `machine_events`: /proc/vmstat.
  explicit MemoryWatch(std::string group_events, std::string machine_events = "/proc/vmstat");

  protocol::OutOfMemory verdict() const;

 private:
  std::string group_events_;
  std::string machine_events_;
  std::optional<std::uint64_t> group_before_;
  std::optional<std::uint64_t> machine_before_;
};

}  // namespace adarun::launcher::agent
