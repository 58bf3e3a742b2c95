// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launcher/plan/job_options.h"
#include "launcher/supervisor/membership.h"
#include "launcher/supervisor/resize_request.h"

namespace adarun::launcher {

/// What a resize is to change.
struct ResizePlan {
  Membership::Requested requested;  ///< Without `new_hosts`, which are no nodes of the job yet.
  std::vector<Host> new_hosts;
  std::string text;  ///< "node2 leaves; node9 joins".
};

/// Plans what `request` wants of a job. A member or a spare that is not `usable` is lost: it is added
/// as a new host, which may be reached now. `check` throws Error with the reason if the job cannot run on
/// these hosts. Throws Error, in one line: a host that is or is not in the job, too few that would be left,
/// or no restart to come at which members could change.
ResizePlan plan_resize(const ResizeRequest& request, const Membership& membership,
                       const std::function<bool(std::uint32_t)>& usable, const JobOptions& options,
                       const std::function<void(const std::vector<Host>&)>& check);

}  // namespace adarun::launcher
