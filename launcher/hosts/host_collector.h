// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// Hosts of a list or a hostfile as they are read. Refuses `n[1-65536]:4096` before all of it is in memory.
class HostCollector {
 public:
  /// Adds each of the hosts that the name of `host` expands to. Throws Error, whose message begins with
  /// `where`, also for a name that other programs would take for something else.
  void add(const Host& host, const std::string& where);

  /// Adds hosts of another collector.
  void add(const std::vector<Host>& hosts, const std::string& where);

  /// Counts devices that hosts have besides. Throws Error beyond 2^20 in all.
  void count(std::size_t more, const std::string& where);

  std::vector<Host>& all() { return all_; }

 private:
  std::vector<Host> all_;
  std::size_t devices_ = 0;
};

}  // namespace adarun::launcher
