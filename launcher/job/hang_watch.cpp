// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_watch.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace adarun::launcher {

void HangWatch::start(std::uint32_t rank, Clock::time_point now) {
  if (!running_[rank]) ++count_;
  running_[rank] = Rank{now};
  last_heard_ = now;
}

void HangWatch::end(std::uint32_t rank) {
  if (running_[rank]) --count_;
  running_[rank].reset();
}

void HangWatch::hear(std::uint32_t rank, std::string_view bytes, Clock::time_point now) {
  if (!timeout_ || !running_[rank]) return;
  running_[rank]->heard = now;
  running_[rank]->lines += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  last_heard_ = now;
}

std::optional<HangWatch::Clock::time_point> HangWatch::deadline() const {
  return timeout_ && count_ > 0 ? std::optional(last_heard_ + *timeout_) : std::nullopt;
}

std::vector<std::uint32_t> HangWatch::suspects(const StepOf& step_of) const {
  using Place = std::tuple<std::uint64_t, std::uint64_t, Clock::time_point, std::uint32_t>;
  std::vector<Place> places;
  for (std::uint32_t rank = 0; rank < running_.size(); ++rank)
    if (running_[rank])
      places.emplace_back(step_of(rank).value_or(std::numeric_limits<std::uint64_t>::max()),
                          running_[rank]->lines, running_[rank]->heard, rank);
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> ranks;
  for (const Place& place : places) ranks.push_back(std::get<std::uint32_t>(place));
  return ranks;
}

std::chrono::milliseconds HangWatch::silence(std::uint32_t rank, Clock::time_point now) const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - running_[rank]->heard);
}

}  // namespace adarun::launcher
