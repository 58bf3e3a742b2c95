// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/report.h"

#include <algorithm>

namespace adarun::launcher {

int JobReport::exit_status() const {
  return failures.empty() ? 0 : failures.front().exit_status();
}

bool JobReport::was_cut_short() const {
  return std::any_of(failures.begin(), failures.end(), [](const Failure& failure) {
    return failure.kind == Failure::Kind::interrupted || failure.kind == Failure::Kind::timed_out;
  });
}

std::size_t JobReport::count(RankState state) const {
  return static_cast<std::size_t>(
      std::count_if(ranks.begin(), ranks.end(), [&](const RankRecord& rank) { return rank.state == state; }));
}

}  // namespace adarun::launcher
