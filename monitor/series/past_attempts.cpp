// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/past_attempts.h"

#include <algorithm>

namespace adarun::monitor {

void PastAttempts::add(PastRank rank) {
  if (rank.losses.points().empty() && rank.validations.points().empty()) return;
  count(rank);
  ranks_.push_back(std::move(rank));
}

void PastAttempts::cut(std::uint64_t position) {
  for (PastRank& rank : ranks_) {
    rank.losses.cut(position);
    rank.validations.cut(position);
  }
  std::erase_if(ranks_, [](const PastRank& rank) {
    return rank.losses.points().empty() && rank.validations.points().empty();
  });
  count_all();
}

void PastAttempts::coarsen(std::uint64_t stride) {
  for (PastRank& rank : ranks_) {
    rank.losses.coarsen(stride);
    rank.validations.coarsen(stride);
  }
  count_all();
}

void PastAttempts::count(const PastRank& rank) {
  points_ += rank.losses.points().size() + rank.validations.points().size();
  if (!rank.losses.points().empty()) position_ = std::max(position_, rank.losses.points().back().position);
}

void PastAttempts::count_all() {
  points_ = 0;
  position_ = 0;
  for (const PastRank& rank : ranks_) count(rank);
}

}  // namespace adarun::monitor
