// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/parse/loss_line.h"
#include "monitor/series/series.h"

namespace adarun::monitor {

/// Maps (epoch, step) as printed to one position that grows through the whole run, the same for all ranks.
/// Steps may restart with each epoch or continue. The length of an epoch is what the lines say ("[100/312]",
/// or epoch time over step time), at least the last step printed in it. The first rank that reaches an epoch
/// fixes where it begins; that never changes afterwards.
class StepClock {
 public:
  /// Sets the number of steps per epoch, once known.
  void learn(std::uint64_t steps_per_epoch) { steps_per_epoch_ = steps_per_epoch; }

  /// Other ranks continue from the next step that is placed, perhaps with epochs of another length: what was
  /// fixed for later epochs is forgotten.
  void begin_again() { begins_again_ = true; }

  /// The position of a step. The beginning of a new epoch is fixed here.
  std::uint64_t position(std::uint64_t epoch, std::uint64_t step) {
    if (begins_again_) begin_again_at(epoch, step);
    Epoch& its = epoch_of(epoch, step);
    if (step == 0 && !its.from_zero) {
      its.from_zero = true;
      if (its.length > 0) ++its.length;
    }
    its.length = std::max(its.length, step + (its.from_zero ? 1 : 0));
    return its.begin + step;
  }

  /// Places a loss line of a rank; `last` is the rank's loss line before it. An epoch or step that the line
  /// leaves out is counted on from there: a step that falls begins a new epoch, and so does the same step
  /// again with another loss if it may be an epoch's last ("[312/312]"). With the same loss it is the same
  /// line again, as tqdm prints its last one twice.
  Sample place(const std::optional<Sample>& last, const LossLine& line) {
    const bool tells_length = line.steps_per_epoch && *line.steps_per_epoch > 0;
    if (tells_length && !begins_again_) learn(*line.steps_per_epoch);
    Sample sample{.loss = line.loss};
    const std::uint64_t epoch_before = last ? last->epoch : 1;
    const std::uint64_t step_before = last ? last->step : 0;
    sample.epoch = line.epoch.value_or(epoch_before);
    sample.step = line.step.value_or(sample.epoch == epoch_before ? step_before + 1 : 1);
    const bool is_last = line.steps_per_epoch == sample.step;
    const bool again = is_last && last && sample.step == step_before && line.loss != last->loss;
    if (!line.epoch && last && (sample.step < step_before || again)) ++sample.epoch;
    sample.position = position(sample.epoch, sample.step);
    if (line.step) sample.told = told_after(last, sample);
    if (tells_length) learn(*line.steps_per_epoch);
    return sample;
  }

  /// Whether a loss line of a rank tells no step where the lines before did, as the mean of an epoch behind
  /// its steps. `last` remembers it: if no steps follow, such lines are counted again, at the latest behind
  /// four.
  static bool is_mean(std::optional<Sample>& last, const LossLine& line) {
    if (line.step || !last || last->told == 0) return false;
    if (last->told == 1 && line.epoch != last->epoch) return false;
    constexpr std::uint32_t most_means = 4;
    last->told = std::min(last->told, most_means) - 1;
    return true;
  }

  std::optional<std::uint64_t> steps_per_epoch() const { return steps_per_epoch_; }

  /// Whether the number of steps that lines tell is that of all epochs together.
  bool counts_whole_run() const { return counts_whole_run_; }

 private:
  static std::uint32_t told_after(const std::optional<Sample>& last, const Sample& sample) {
    constexpr std::uint32_t most = 1000;
    if (!last) return 1;
    const bool again = sample.position == last->position;
    return again ? std::max(last->told, 1U) : std::min(last->told + 1, most);
  }

  struct Epoch {
    std::uint64_t number = 0;  ///< As printed.
    std::uint64_t begin = 0;   ///< Position of its step 0.
    std::uint64_t length = 0;  ///< Steps seen in it: the highest as printed, plus one if they begin at 0.
    bool from_zero = false;
  };

  Epoch& epoch_of(std::uint64_t epoch, std::uint64_t step) {
    if (last_looked_up_ < epochs_.size() && epochs_[last_looked_up_].number == epoch)
      return epochs_[last_looked_up_];
    return look_up(epoch, step);
  }
  Epoch& look_up(std::uint64_t epoch, std::uint64_t step);
  void begin_again_at(std::uint64_t epoch, std::uint64_t step);
  std::uint64_t begin_of(std::uint64_t epoch, std::uint64_t step);
  std::uint64_t begin_after(const Epoch& earlier, std::uint64_t epoch, std::uint64_t step);

  std::vector<Epoch> epochs_;       ///< By number.
  std::size_t last_looked_up_ = 0;  ///< Caches the epoch of the previous line.
  std::optional<std::uint64_t> steps_per_epoch_;
  bool begins_again_ = false;
  bool counts_whole_run_ = false;
};

/// Finds the last step of each rank in the loss lines of its output as it passes through. Reads only the end
/// of large pieces, so that a rank with very much output costs little. Not thread-safe.
class StepReader {
 public:
  static constexpr std::size_t most_bytes = 4096;     ///< How much of a piece is read.
  static constexpr std::size_t streams_per_rank = 2;  ///< stdout and stderr; their lines are kept apart.

  explicit StepReader(std::size_t world_size) : ranks_(world_size) {}

  /// Reads a piece of one stream of a rank; true if the rank has reached another step.
  bool feed(std::uint32_t rank, std::size_t stream, std::string_view bytes);

  /// The position of the rank's last loss line in the run (see StepClock).
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const;

 private:
  static constexpr base::LineRules line_rules{base::log_lines.end, base::log_lines.overlong, 1024};

  struct RankProgress {
    std::array<base::LineCutter, streams_per_rank> streams{base::LineCutter(line_rules),
                                                           base::LineCutter(line_rules)};
    std::optional<Sample> last;
  };

  StepClock clock_;
  std::vector<RankProgress> ranks_;
};

/// The speed of a run over the last ten seconds, measured from the arrival of its lines.
class StepRate {
 public:
  using Clock = std::chrono::steady_clock;

  /// Records that the run is at this position.
  void note(Clock::time_point now, std::uint64_t position) {
    if (!positions_.empty() && position < positions_.back().position) positions_.clear();
    positions_.push_back({now, position});
    while (positions_.size() > 2 && now - positions_[1].time >= window) positions_.pop_front();
  }

  /// Steps per second; nothing until there are two positions at least half a second apart.
  std::optional<double> steps_per_s() const {
    if (positions_.size() < 2) return std::nullopt;
    const std::chrono::duration<double> passed = positions_.back().time - positions_.front().time;
    const auto steps = static_cast<double>(positions_.back().position - positions_.front().position);
    if (passed.count() < 0.5 || steps == 0) return std::nullopt;
    return steps / passed.count();
  }

 private:
  static constexpr std::chrono::seconds window{10};

  struct TimedPosition {
    Clock::time_point time;
    std::uint64_t position;
  };
  std::deque<TimedPosition> positions_;
};

}  // namespace adarun::monitor
