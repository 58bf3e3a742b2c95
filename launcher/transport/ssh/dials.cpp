// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/dials.h"

#include <utility>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/dial.h"

namespace adarun::launcher {

Dials::Dials(std::shared_ptr<const LocatedHosts> hosts, std::chrono::milliseconds connect_timeout)
    : hosts_(std::move(hosts)), connect_timeout_(connect_timeout) {}

MakeDial Dials::to(const Hop& hop) {
  if (hop.before)
    return dial_through(jump_host(*hop.before), hop.credentials.settings.hostname,
                        hop.credentials.settings.port);
  return [place = hosts_->places.at(&hop)] {
    if (place.addresses.empty()) throw Error(place.reason_without_name());
    return std::make_unique<AddressDial>(place.addresses);
  };
}

// A jump host that has failed or is silent is replaced by a new one; connections through the old one stay.
// Where it is silent, one that leads to it may be, and not have been asked since.
std::shared_ptr<JumpHost> Dials::jump_host(const Hop& hop) {
  std::shared_ptr<JumpHost>& jump = jumps_[&hop];
  if (jump && jump->silent())
    for (const Hop* before = hop.before.get(); before != nullptr; before = before->before.get())
      jumps_.erase(before);
  if (!jump || jump->broken() || jump->silent())
    jump = std::make_shared<JumpHost>(hop.name, hop.credentials, to(hop), connect_timeout_);
  return jump;
}

}  // namespace adarun::launcher
