// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/rank_states.h"

#include <algorithm>

namespace adarun::launcher {

RankStates::RankStates(const Plan& plan)
    : plan_(plan), records_(plan.world_size()), waiting_(plan.world_size()) {}

void RankStates::start(const protocol::Started& started) {
  RankRecord& record = records_[started.rank];
  const bool first = record.state == RankState::waiting;
  if (first && waiting_ > 0 && --waiting_ == 0) urgent_ = true;
  if (!first) record = {};  // It is started again.
  record.state = RankState::running;
  record.pid = started.pid;
  record.started_ns = started.time_ns;
  changed_ = true;
}

void RankStates::end(std::uint32_t rank, const RankRecord& record) {
  records_[rank] = record;
  changed_ = true;
}

void RankStates::lose(std::uint32_t node) {
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    RankRecord& record = records_[part.rank];
    if (record.state == RankState::running) record.state = RankState::lost;
  }
  changed_ = true;
}

void RankStates::fail() {
  urgent_ = urgent_ || !failed_;
  failed_ = true;
}

void RankStates::wrote(Clock::time_point begun, Clock::time_point ended) {
  changed_ = urgent_ = false;
  next_ = ended + std::max<Clock::duration>(least_pause, pauses_per_write * (ended - begun));
}

}  // namespace adarun::launcher
