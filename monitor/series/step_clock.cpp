// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_clock.h"

#include <algorithm>

namespace adarun::monitor {

std::uint64_t StepClock::position(std::uint64_t epoch, std::uint64_t step) {
  auto found = epochs_.find(epoch);
  if (found == epochs_.end()) found = epochs_.emplace(epoch, Epoch{.begin = begin_of(epoch, step)}).first;
  Epoch& its = found->second;
  if (step == 0 && !its.from_zero) {
    its.from_zero = true;
    if (its.length > 0) ++its.length;
  }
  its.length = std::max(its.length, step + (its.from_zero ? 1 : 0));
  return its.begin + step;
}

Sample StepClock::place(const std::optional<Sample>& last, const LossLine& line) {
  if (line.steps_per_epoch && *line.steps_per_epoch > 0) learn(*line.steps_per_epoch);
  Sample sample{.loss = line.loss};
  const Sample before = last.value_or(Sample{.epoch = 1});
  sample.epoch = line.epoch.value_or(before.epoch);
  const bool same_epoch = sample.epoch == before.epoch;
  sample.step = line.step.value_or(same_epoch ? before.step + 1 : 1);
  if (!line.epoch && last && sample.step <= before.step) ++sample.epoch;
  sample.position = position(sample.epoch, sample.step);
  return sample;
}

std::uint64_t StepClock::begin_of(std::uint64_t epoch, std::uint64_t step) const {
  const auto later = epochs_.upper_bound(epoch);
  if (later == epochs_.begin()) {
    const std::uint64_t before = epoch == 0 ? 0 : epoch - 1;
    const std::uint64_t begin = before * steps_per_epoch_.value_or(0);
    return later == epochs_.end() ? begin : std::min(begin, later->second.begin);
  }
  const auto earlier = std::prev(later);
  const std::uint64_t begin = begin_after(earlier->first, earlier->second, epoch, step);
  return later == epochs_.end() ? begin : std::min(begin, later->second.begin);
}

std::uint64_t StepClock::begin_after(std::uint64_t earlier, const Epoch& of_earlier, std::uint64_t epoch,
                                     std::uint64_t step) const {
  const std::uint64_t length = steps_per_epoch_.value_or(of_earlier.length);
  const bool counts_on = step > length || (!steps_per_epoch_ && of_earlier.from_zero && step == length);
  return counts_on ? of_earlier.begin : of_earlier.begin + (epoch - earlier) * length;
}

}  // namespace adarun::monitor
