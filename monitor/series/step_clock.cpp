// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_clock.h"

#include <iterator>

#include "monitor/parse/keyword.h"

namespace adarun::monitor {

// Fixes where the epoch begins if it is new.
StepClock::Epoch& StepClock::look_up(std::uint64_t epoch, std::uint64_t step) {
  auto found = std::lower_bound(epochs_.begin(), epochs_.end(), epoch,
                                [](const Epoch& each, std::uint64_t number) { return each.number < number; });
  if (found == epochs_.end() || found->number != epoch)
    found = epochs_.insert(found, {.number = epoch, .begin = begin_of(epoch, step)});
  last_looked_up_ = static_cast<std::size_t>(found - epochs_.begin());
  return *found;
}

// Where the epoch begins is decided by the lengths of the epochs before.
void StepClock::begin_again_at(std::uint64_t epoch, std::uint64_t step) {
  begins_again_ = false;
  std::erase_if(epochs_, [epoch](const Epoch& each) { return each.number > epoch; });
  look_up(epoch, step).length = 0;
  steps_per_epoch_.reset();
}

std::uint64_t StepClock::begin_of(std::uint64_t epoch, std::uint64_t step) {
  const auto later =
      std::upper_bound(epochs_.begin(), epochs_.end(), epoch,
                       [](std::uint64_t number, const Epoch& each) { return number < each.number; });
  const std::uint64_t before = epoch == 0 ? 0 : epoch - 1;
  const std::uint64_t begin = later == epochs_.begin() ? before * steps_per_epoch_.value_or(0)
                                                       : begin_after(*std::prev(later), epoch, step);
  return later == epochs_.end() ? begin : std::min(begin, later->begin);
}

std::uint64_t StepClock::begin_after(const Epoch& earlier, std::uint64_t epoch, std::uint64_t step) {
  // Of an epoch that was resumed in its middle, its times tell the length of the rest alone.
  const std::uint64_t length = std::max(steps_per_epoch_.value_or(0), earlier.length);
  // Steps that continue, though the number that lines tell is not reached: it is that of the whole run.
  if (steps_per_epoch_ && epoch == earlier.number + 1 && earlier.length > 0 && step > earlier.length &&
      earlier.length < *steps_per_epoch_ && step <= *steps_per_epoch_)
    counts_whole_run_ = true;
  const bool counts_on =
      counts_whole_run_ || step > length || (!steps_per_epoch_ && earlier.from_zero && step == length);
  return counts_on ? earlier.begin : earlier.begin + (epoch - earlier.number) * length;
}

bool StepReader::feed(std::uint32_t rank, std::size_t stream, std::string_view bytes) {
  RankProgress& its = ranks_[rank];
  base::LineCutter& cutter = its.streams[stream];
  if (bytes.size() > most_bytes) {
    bytes.remove_prefix(bytes.size() - most_bytes);
    bytes.remove_prefix(base::line_length(bytes, line_rules.end));
    cutter.reset();
  }
  const std::optional<std::uint64_t> before = step_of(rank);
  cutter.feed_each(bytes, [&](std::string_view line) {
    if (find_keyword(line, 0) == std::string_view::npos) return;
    const auto loss = parse_loss_line(line);
    if (loss && !StepClock::is_mean(its.last, *loss)) its.last = clock_.place(its.last, *loss);
  });
  return step_of(rank) != before;
}

std::optional<std::uint64_t> StepReader::step_of(std::uint32_t rank) const {
  const std::optional<Sample>& last = ranks_[rank].last;
  return last ? std::optional(last->position) : std::nullopt;
}

}  // namespace adarun::monitor
