// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/rank_record.h"

namespace adarun::launcher {

const char* name_of(RankState state) {
  switch (state) {
    case RankState::waiting:
      return "waiting";
    case RankState::running:
      return "running";
    case RankState::done:
      return "done";
    case RankState::failed:
      return "failed";
    case RankState::stopped:
      return "stopped";
    case RankState::lost:
      return "lost";
  }
  return "unknown";
}

}  // namespace adarun::launcher
