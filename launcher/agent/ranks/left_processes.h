// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Where a rank of this node is in its life.
struct RankLife {
  enum class State { runs, ended_well, failed };

  std::uint32_t rank = 0;
  pid_t pid = 0;
  State state = State::runs;
};

/// The descendants of this process that ranks which ended well have left running. Not those of ranks that
/// run, nor what is ending by itself. A process belongs to the rank of its control group, or of the variables
/// RANK and ADARUN_JOB_ID that it began with; one that has neither counts once no rank runs.
protocol::LeftRunning left_running(const std::vector<RankLife>& ranks);

}  // namespace adarun::launcher::agent
