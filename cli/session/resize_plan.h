// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "cli/session/resize_request.h"
#include "launcher/job/membership.h"

namespace adarun::cli {

/// What a resize is to change.
struct ResizePlan {
  launcher::Membership::Requested requested;  ///< Without `new_hosts`, which are no nodes of the job yet.
  std::vector<launcher::Host> new_hosts;
  std::string text;  ///< "node2 leaves; node9 joins".
};

/// Plans what `request` wants of a job. A member or a spare that is not `usable` is lost: it is added
/// as a new host, which may be reached now. `check` throws Quit with the reason if the job cannot run on
/// these hosts. Throws Quit, in one line: a host that is or is not in the job, too few that would be left, or
/// no restart to come at which members could change.
ResizePlan plan_resize(const ResizeRequest& request, const launcher::Membership& membership,
                       const std::function<bool(std::uint32_t)>& usable, const LaunchOptions& options,
                       const std::function<void(const std::vector<launcher::Host>&)>& check);

}  // namespace adarun::cli
