// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_watch.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

constexpr int looks_per_timeout = 8;

// What was held up is read within that time, or a part of the timeout where that is less.
constexpr milliseconds most_time_to_read{10000};
constexpr int reads_per_timeout = 4;

}  // namespace

void Heartbeats::start(std::uint32_t rank) {
  ranks_[rank] = {true, std::nullopt};
}

void Heartbeats::end(std::uint32_t rank) {
  ranks_[rank].runs = false;
}

void Heartbeats::beat(std::uint32_t rank, Clock::time_point now) {
  std::optional<Pulse>& pulse = ranks_[rank].pulse;
  if (!pulse || gap(*pulse, now) > timeout_) pulse = Pulse{now, now};
  pulse->last = now;
}

std::optional<Heartbeats::Clock::time_point> Heartbeats::last(std::uint32_t rank) const {
  const std::optional<Pulse>& pulse = ranks_[rank].pulse;
  return pulse ? std::optional(pulse->last) : std::nullopt;
}

std::vector<std::uint32_t> Heartbeats::missed(Clock::time_point now) const {
  std::vector<std::uint32_t> missed;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto& [runs, pulse] = ranks_[rank];
    if (runs && pulse && pulse->last - pulse->since >= 2 * timeout_ && gap(*pulse, now) >= timeout_)
      missed.push_back(rank);
  }
  return !missed.empty() && most_others_continued(now) ? missed : std::vector<std::uint32_t>();
}

Heartbeats::Clock::duration Heartbeats::gap(const Pulse& pulse, Clock::time_point now) const {
  return now - std::max(pulse.last, held_up_);
}

// Ranks that wait for the missed one go silent soon after it; only beats of the last half timeout count, so
// that those from before do not.
bool Heartbeats::most_others_continued(Clock::time_point now) const {
  std::size_t run = 0;
  std::size_t continued = 0;
  for (const auto& [runs, pulse] : ranks_) {
    if (!runs) continue;
    ++run;
    if (pulse && now - pulse->last <= timeout_ / 2) ++continued;
  }
  return 2 * continued > run - 1;
}

HangWatch::HangWatch(std::size_t world_size, std::optional<milliseconds> timeout)
    : timeout_(timeout),
      running_(world_size),
      lines_(timeout ? world_size : 0, timeout.value_or(milliseconds(0))),
      steps_(lines_) {}

void HangWatch::start(std::uint32_t rank, Clock::time_point now) {
  if (!timeout_ || left_out_.contains(rank)) return;
  if (!running_[rank]) ++count_;
  running_[rank] = Rank{now};
  last_heard_ = now;
  lines_.start(rank);
  steps_.start(rank);
}

void HangWatch::end(std::uint32_t rank) {
  if (!running_[rank]) return;
  --count_;
  running_[rank].reset();
  lines_.end(rank);
  steps_.end(rank);
}

void HangWatch::hear(std::uint32_t rank, std::string_view bytes, Clock::time_point now) {
  if (!running_[rank]) return;
  running_[rank]->heard = now;
  running_[rank]->lines += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  last_heard_ = now;
  lines_.beat(rank, now);
}

void HangWatch::step(std::uint32_t rank, std::optional<std::uint64_t> step, Clock::time_point now) {
  if (!running_[rank] || !step || running_[rank]->step == step) return;
  running_[rank]->step = step;
  steps_.beat(rank, now);
}

void HangWatch::advance(Clock::time_point now, bool held_up) {
  const Clock::time_point since = std::exchange(advanced_, now);
  if (!held_up || !timeout_) return;
  last_heard_ += now - std::max(since, last_heard_);
  last_heard_ =
      std::max(last_heard_, now - *timeout_ + std::min(most_time_to_read, *timeout_ / reads_per_timeout));
  lines_.held_up(now);
  steps_.held_up(now);
}

std::optional<HangWatch::Clock::time_point> HangWatch::deadline() const {
  return count_ > 0 ? std::optional(last_heard_ + *timeout_) : std::nullopt;
}

std::vector<std::uint32_t> HangWatch::suspects() const {
  using Place = std::tuple<std::uint64_t, std::uint64_t, Clock::time_point, std::uint32_t>;
  std::vector<Place> places;
  for (std::uint32_t rank = 0; rank < running_.size(); ++rank)
    if (const auto& its = running_[rank])
      places.emplace_back(its->step.value_or(std::numeric_limits<std::uint64_t>::max()), its->lines,
                          its->heard, rank);
  std::sort(places.begin(), places.end());
  std::vector<std::uint32_t> ranks;
  ranks.reserve(places.size());
  for (const Place& place : places) ranks.push_back(std::get<std::uint32_t>(place));
  return ranks;
}

std::optional<HangWatch::Clock::time_point> HangWatch::next_look() const {
  return count_ > 0 ? std::optional(last_look_ + *timeout_ / looks_per_timeout) : std::nullopt;
}

std::vector<HangWatch::Straggler> HangWatch::take_stragglers(Clock::time_point now) {
  last_look_ = now;
  std::vector<Straggler> stragglers;
  for (const std::uint32_t rank : lines_.missed(now))
    if (told_.insert(rank).second) stragglers.push_back({rank, false});
  for (const std::uint32_t rank : steps_.missed(now))
    if (told_.insert(rank).second) stragglers.push_back({rank, silence(rank, now) < *timeout_});
  return stragglers;
}

milliseconds HangWatch::silence(std::uint32_t rank, Clock::time_point now) const {
  return std::chrono::duration_cast<milliseconds>(now - running_[rank]->heard);
}

milliseconds HangWatch::since_step(std::uint32_t rank, Clock::time_point now) const {
  return std::chrono::duration_cast<milliseconds>(now - steps_.last(rank).value_or(now));
}

std::optional<std::uint64_t> HangWatch::step_of(std::uint32_t rank) const {
  return running_[rank] ? running_[rank]->step : std::nullopt;
}

}  // namespace adarun::launcher
