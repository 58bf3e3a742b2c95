// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>

#include "launcher/transport/ssh/dial.h"
#include "launcher/transport/ssh/located_hosts.h"

namespace adarun::launcher {

class JumpHost;

/// Makes dials to hosts; those with the same jump host share it: one SSH session, on its own thread, carries
/// the connections to all of them. It connects when the first one is requested. Used by one thread at a time;
/// nothing blocks, and once no link holds a jump host its connections end.
class Dials {
 public:
  /// `connect_timeout` applies to each jump host.
  Dials(std::shared_ptr<const LocatedHosts> hosts, std::chrono::milliseconds connect_timeout);

  /// How to dial one of the hosts, by its hop. The function returned throws Error if the host was not found.
  MakeDial to(const Hop& hop);

 private:
  std::shared_ptr<JumpHost> jump_host(const Hop& hop);

  const std::shared_ptr<const LocatedHosts> hosts_;
  const std::chrono::milliseconds connect_timeout_;
  std::map<const Hop*, std::shared_ptr<JumpHost>> jumps_;
};

}  // namespace adarun::launcher
