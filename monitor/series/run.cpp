// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/clean_text.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t least_points_per_rank = 256;
constexpr std::uint64_t most_stride = std::uint64_t{1} << 40U;

template <typename Value>
void update(std::optional<Value>& value, const std::optional<Value>& newer) {
  if (newer) value = newer;
}

// Drops what an abandoned attempt of the run reported at `position` and after it.
void rewind(RunRank& rank, std::uint64_t position) {
  if (rank.first_not_finite && rank.first_not_finite->position >= position) rank.first_not_finite.reset();
  if (!rank.best || rank.best->position < position) return;
  rank.best.reset();
  for (const Point& point : rank.series.points()) {
    if (point.position >= position) break;
    if (point.finite == 0) continue;
    if (!rank.best || point.min < rank.best->loss) {
      rank.best = Sample{point.position, point.epoch, point.step, point.min, point.time_ms};
    }
  }
}

std::size_t points_in(const RunRank& rank) {
  return rank.series.points().size() + rank.validation.points().size();
}

std::size_t points_in(const PastRank& rank) {
  return rank.losses.points().size() + rank.validations.points().size();
}

bool is_before(const Sample& sample, const GradientLine& end) {
  return std::tie(sample.epoch, sample.step) < std::tie(end.epoch, end.step);
}

// Where a loss of a validation belongs: at the last step of the training, or at the step of its line if that
// is further on in the same epoch. `before` is the rank's validation before it.
Sample place_validation(const std::optional<Sample>& training, const std::optional<Sample>& before,
                        const LossLine& line) {
  Sample sample;
  if (training) sample = *training;
  if (!training) sample = {.position = before ? before->position + 1 : 1, .epoch = 1};
  if (line.step && *line.step > sample.step && line.epoch.value_or(sample.epoch) == sample.epoch) {
    if (training) sample.position += *line.step - sample.step;
    sample.step = *line.step;
  }
  sample.epoch = line.epoch.value_or(sample.epoch);
  sample.loss = line.loss;
  return sample;
}

bool same_loss(const Sample& left, const Sample& right) {
  return left.loss == right.loss || (std::isnan(left.loss) && std::isnan(right.loss));
}

// A progress bar shows the last validation again and again.
bool repeats(const Sample& sample, const Sample& before) {
  return same_loss(sample, before) && sample.position >= before.position;
}

// What earlier stages of a pipeline print.
bool is_no_loss(double loss) {
  return loss == 0 || loss == -1;
}

}  // namespace

bool seems_several(const RunRank& rank) {
  constexpr std::uint64_t enough = 20;
  return rank.repeats >= enough && rank.repeats * 5 >= rank.loss_lines * 2 &&
         rank.carries * 4 < rank.repeats && rank.alike * 4 >= (rank.repeats - rank.here) * 3;
}

bool has_ended(ProcessState state) {
  return state != ProcessState::unknown && state != ProcessState::waiting && state != ProcessState::running;
}

void Run::expect(std::uint32_t world_size) {
  expected_ = std::max(expected_, world_size);
  for (std::uint32_t rank = 0; rank < world_size; ++rank) rank_of(rank);
}

RunRank& Run::rank_of(std::uint32_t rank) {
  const auto [entry, is_new] = ranks_.try_emplace(rank);
  if (is_new) {
    entry->second.series.coarsen(stride_);
    entry->second.validation.coarsen(stride_);
  }
  return entry->second;
}

void Run::feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms) {
  Log& log = logs_[rank];
  pass_on_late(rank, log, time_ms);
  feeding_ms_ = time_ms;
  log.splitter.feed(log.decoder.read(bytes), time_ms, reader_of(rank));
  note_silence(log);
}

bool Run::pass_on_late(std::int64_t time_ms) {
  bool any = false;
  for (auto& [rank, log] : logs_) any = pass_on_late(rank, log, time_ms) || any;
  return any;
}

bool Run::pass_on_late(std::uint32_t rank, Log& log, std::int64_t time_ms) {
  if (!log.splitter.is_late(time_ms)) return false;
  feeding_ms_ = log.splitter.held_since_ms();
  log.splitter.pass_on_held(reader_of(rank));
  return true;
}

RankSplitter::Take Run::reader_of(std::uint32_t log) {
  return [this, log](const RankSplitter::Source* source, std::string_view lines) {
    read(rank_for(log, source), lines);
  };
}

void Run::read(std::uint32_t rank, std::string_view lines) {
  RunRank& its = rank_of(rank);
  if (patterns_) its.reader.use(patterns_);
  its.reader.feed(lines, listener_of(rank, its));
}

// The lines without a tag and those of the first tag are of one rank, that of the log. When another tag
// appears, it becomes the one that the first tag tells.
std::uint32_t Run::rank_for(std::uint32_t log, const RankSplitter::Source* source) {
  Log& its = logs_[log];
  if (!its.own) its.own = claim(log);
  if (source == nullptr) return *its.own;
  const auto found = its.by_label.find(source->label);
  if (found != its.by_label.end()) {
    if (source->number && its.by_label.size() > 1) number_late(its, *source);
    return found->second;
  }
  const RankSplitter::Source& first = its.splitter.sources().front();
  if (its.by_label.empty()) {
    its.by_label[first.label] = *its.own;
    if (!first.number) its.unnumbered[*its.own] = first.label;
    if (first.label == source->label) return *its.own;
  }
  if (its.by_label.size() == 1 && first.number && !claimed_.contains(*first.number)) {
    rename(*its.own, *first.number);
    its.own = its.by_label.begin()->second = *first.number;
    its.unnumbered.clear();
  }
  const std::uint32_t rank = claim(source->number);
  if (!source->number) its.unnumbered[rank] = source->label;
  return its.by_label[source->label] = rank;
}

// A label that had no number tells it: it takes it from one of the same log that has none yet.
void Run::number_late(Log& log, const RankSplitter::Source& source) {
  const std::uint32_t wanted = *source.number;
  std::uint32_t& its = log.by_label[source.label];
  if (log.unnumbered.erase(its) == 0 || its == wanted) return;
  if (auto holder = log.unnumbered.extract(wanted); !holder.empty()) {
    const std::uint32_t free = claim(std::nullopt);
    rename(wanted, free);
    if (log.own == wanted) log.own = free;
    log.by_label[holder.mapped()] = holder.key() = free;
    log.unnumbered.insert(std::move(holder));
  }
  if (claimed_.contains(wanted)) return;
  rename(its, wanted);
  if (log.own == its) log.own = wanted;
  its = wanted;
}

// This number if it is free, else the next free one.
std::uint32_t Run::claim(std::optional<std::uint32_t> wanted) {
  const std::uint32_t next = claimed_.empty() ? 0 : *claimed_.rbegin() + 1;
  const std::uint32_t rank = wanted && !claimed_.contains(*wanted) ? *wanted : next;
  claimed_.insert(rank);
  return rank;
}

void Run::rename(std::uint32_t rank, std::uint32_t wanted) {
  claimed_.erase(rank);
  claimed_.insert(wanted);
  auto renamed = ranks_.extract(rank);
  if (renamed.empty()) return;
  renamed.key() = wanted;
  if (const auto expected = ranks_.find(wanted); expected != ranks_.end()) {
    renamed.mapped().state = expected->second.state;
    ranks_.erase(expected);
  }
  ranks_.insert(std::move(renamed));
  if (rank < expected_) rank_of(rank);
  clear_curves();
}

void Run::clear_curves() {
  losses_.clear();
  validations_.clear();
}

void Run::note_silence(const Log& log) {
  if (log.by_label.size() < 2) return;
  for (const RankSplitter::Source& source : log.splitter.sources())
    if (const auto rank = log.by_label.find(source.label); rank != log.by_label.end())
      rank_of(rank->second).silence = log.splitter.silence_of(source);
}

void Run::set_written(std::uint32_t rank, std::int64_t time_ms) {
  const auto log = logs_.find(rank);
  if (log != logs_.end() && log->second.own && log->second.by_label.size() < 2)
    rank_of(*log->second.own).written_ms = time_ms;
}

void Run::finish(std::uint32_t rank) {
  const auto log = logs_.find(rank);
  if (log == logs_.end()) return;
  log->second.splitter.finish(reader_of(rank));
  std::set<std::uint32_t> ranks;
  if (log->second.own) ranks.insert(*log->second.own);
  for (const auto& [label, its] : log->second.by_label) ranks.insert(its);
  for (const std::uint32_t each : ranks) {
    RunRank& its = rank_of(each);
    its.reader.finish(listener_of(each, its));
  }
}

void Run::finish_all() {
  for (const auto& [rank, log] : logs_) finish(rank);
}

void Run::next_attempt(std::uint64_t number, std::string_view change) {
  constexpr std::size_t most_change_bytes = 200;
  finish_all();
  for (auto& [rank, its] : ranks_) {
    if (its.last) ++attempts_.back().ranks;
    if (points_in(its) > 0) past_.push_back({rank, std::move(its.series), std::move(its.validation)});
  }
  ranks_.clear();
  logs_.clear();
  claimed_.clear();
  constants_ = varying_ = 0;
  attempts_.push_back({.number = number, .change = base::clean_line(change, most_change_bytes)});
  clock_.begin_again();
  while (points_ > point_budget_ && stride_ < most_stride) coarsen();
}

std::size_t Run::ranks_with_loss(std::uint64_t position) const {
  for (auto attempt = attempts_.rbegin() + 1; attempt < attempts_.rend(); ++attempt) {
    const RunAttempt& next = *(attempt - 1);
    if (next.begin && next.begin->position <= position) break;
    if (attempt->begin && attempt->begin->position <= position) return attempt->ranks;
  }
  return static_cast<std::size_t>(std::count_if(ranks_.begin(), ranks_.end(), [&](const auto& entry) {
    const RunRank& rank = entry.second;
    return rank.last && !is_placeholder(rank) && (rank.last->position >= position || !has_ended(rank.state));
  }));
}

std::vector<Point> Run::points_of(std::uint32_t rank, Series RunRank::*series, Series PastRank::*past) const {
  std::vector<Point> points;
  const auto append = [&points](const Series& more) {
    points.insert(points.end(), more.points().begin(), more.points().end());
  };
  for (const PastRank& each : past_)
    if (each.rank == rank) append(each.*past);
  if (const auto found = ranks_.find(rank); found != ranks_.end()) append(found->second.*series);
  return points;
}

void Run::restart(std::uint32_t rank) {
  const auto log = logs_.find(rank);
  if (log == logs_.end()) return;
  log->second.decoder.reset();
  log->second.splitter.reset();
  if (log->second.own) rank_of(*log->second.own).reader.reset();
  for (const auto& [label, its] : log->second.by_label) rank_of(its).reader.reset();
}

LogListener Run::listener_of(std::uint32_t number, RunRank& rank) {
  return {.loss = [this, &rank](const LossLine& line) { take_loss(rank, line); },
          .metrics = [this, number, &rank](const MetricLine& line) { take_metrics(number, rank, line); },
          .gradient = [&rank](const GradientLine& line) { rank.bad_gradient = line; },
          .validation = [this, &rank](const LossLine& line) { take_validation(rank, line); }};
}

void Run::take_loss(RunRank& rank, const LossLine& line) {
  update(epochs_, line.epochs);
  update(steps_, line.steps);
  if (StepClock::is_mean(rank.last, line)) {
    if (std::isfinite(line.loss)) return;
    LossLine last = line;
    last.step = rank.last->step;
    last.epoch = rank.last->epoch;
    return take_loss(rank, last);
  }
  Sample sample = clock_.place(rank.last, line);
  sample.time_ms = feeding_ms_;
  if (rank.bad_gradient && is_before(sample, *rank.bad_gradient)) rank.bad_gradient.reset();
  ++lines_;
  ++rank.loss_lines;
  compare_with_last(rank, sample, line.of_bar);
  note_begin(sample);
  if (rank.last && sample.position <= rank.last->position) rewind(rank, sample.position);
  add(rank, &RunRank::series, sample);
  if (!rank.first) rank.first = sample;
  rank.last = sample;
  if (!std::isfinite(sample.loss)) {
    if (!rank.first_not_finite) rank.first_not_finite = sample;
  } else if (!rank.best || sample.loss < rank.best->loss) {
    rank.best = sample;
  }
  losses_.change_from(sample.position >> std::countr_zero(stride_));
  keep_in_budget(rank);
}

// What its next loss says of a rank: see RunRank::repeats and is_placeholder().
void Run::compare_with_last(RunRank& rank, const Sample& sample, bool of_bar) {
  if (!rank.last) {
    constants_ += is_no_loss(sample.loss) ? 1 : 0;
    if (constants_ > 0) clear_curves();
    return;
  }
  const bool is_same = same_loss(*rank.last, sample);
  const bool is_there = rank.last->position == sample.position;
  if (!is_there) {
    if (rank.here == rank.before) rank.alike += rank.here;
    rank.before = std::exchange(rank.here, 0);
    rank.carries += is_same ? 1 : 0;
  } else if (!is_same && !of_bar) {
    ++rank.repeats;
    ++rank.here;
  }
  if (is_same || rank.varies) return;
  if (constants_ > 0) clear_curves();
  constants_ -= is_no_loss(rank.first->loss) ? 1 : 0;
  ++varying_;
  rank.varies = true;
}

bool Run::is_placeholder(const RunRank& rank) const {
  return rank.first && !rank.varies && is_no_loss(rank.first->loss) && varying_ > 0 && constants_ >= varying_;
}

void Run::note_begin(const Sample& sample) {
  RunAttempt& attempt = attempts_.back();
  if (attempt.begin && attempt.begin->position <= sample.position) return;
  attempt.begin = sample;
  if (attempts_.size() == 1) return;
  cut_past(sample.position);
  for (RunAttempt& earlier : attempts_)
    earlier.replaced = earlier.replaced ||
                       (&earlier != &attempt && earlier.begin && earlier.begin->position >= sample.position);
  losses_.change_from(sample.position >> std::countr_zero(stride_));
  validations_.change_from(sample.position >> std::countr_zero(stride_));
}

// Drops what lies at this position and after it: it is done again.
void Run::cut_past(std::uint64_t position) {
  for (PastRank& rank : past_) {
    rank.losses.cut(position);
    rank.validations.cut(position);
  }
  std::erase_if(past_, [](const PastRank& rank) { return points_in(rank) == 0; });
  count_points();
}

void Run::take_validation(RunRank& rank, const LossLine& line) {
  Sample sample = place_validation(rank.last, rank.last_validation, line);
  sample.time_ms = feeding_ms_;
  if (rank.last_validation && repeats(sample, *rank.last_validation)) return;
  add(rank, &RunRank::validation, sample);
  rank.last_validation = sample;
  validations_.change_from(sample.position >> std::countr_zero(stride_));
  keep_in_budget(rank);
}

void Run::take_metrics(std::uint32_t number, RunRank& rank, const MetricLine& line) {
  if (const auto steps = line.steps_per_epoch(); steps && !clock_.steps_per_epoch()) clock_.learn(*steps);
  update(rank.metrics.epoch_ms, line.epoch_ms);
  update(rank.metrics.step_ms, line.step_ms);
  update(rank.metrics.images_per_s, line.images_per_s);
  if (line.images_per_s && rank.last) rank.throughput_from = rank.last->position;
  update(rank.metrics.accuracy, line.accuracy);
  update(rank.metrics.learning_rate, line.learning_rate);
  if (metric_listener_) metric_listener_(number, rank.last ? rank.last->position : 0, line);
}

void Run::add(RunRank& rank, Series RunRank::*series, const Sample& sample) {
  points_ -= points_in(rank);
  (rank.*series).add(sample);
  points_ += points_in(rank);
}

void Run::keep_in_budget(const RunRank& rank) {
  if (points_in(rank) <= least_points_per_rank || points_ <= point_budget_) return;
  if (stride_ < most_stride) coarsen();
}

void Run::coarsen() {
  stride_ *= 2;
  for (PastRank& rank : past_) {
    rank.losses.coarsen(stride_);
    rank.validations.coarsen(stride_);
  }
  for (auto& [number, its] : ranks_) {
    its.series.coarsen(stride_);
    its.validation.coarsen(stride_);
  }
  count_points();
  clear_curves();
}

void Run::count_points() {
  points_ = 0;
  for (const PastRank& rank : past_) points_ += points_in(rank);
  for (const auto& [number, rank] : ranks_) points_ += points_in(rank);
}

const std::vector<MergedPoint>& Run::merged_of(MergedCurve& curve, Series RunRank::*series,
                                               Series PastRank::*past) const {
  if (curve.is_current()) return curve.points();
  std::vector<MergedCurve::RankSeries> all;
  for (const PastRank& rank : past_) all.emplace_back(rank.rank, &(rank.*past));
  for (const auto& [number, rank] : ranks_)
    if (!is_placeholder(rank)) all.emplace_back(number, &(rank.*series));
  curve.update(all, stride_);
  return curve.points();
}

std::optional<std::uint64_t> Run::length() const {
  if (steps_) return steps_;
  if (clock_.counts_whole_run()) return clock_.steps_per_epoch();
  const auto steps = steps_per_epoch();
  return epochs_ && steps ? std::optional(*epochs_ * *steps) : std::nullopt;
}

std::uint64_t Run::position() const {
  std::uint64_t last = 0;
  for (const auto& [number, rank] : ranks_) {
    if (rank.last) last = std::max(last, rank.last->position);
  }
  if (last > 0) return last;
  for (const PastRank& rank : past_)
    if (!rank.losses.points().empty()) last = std::max(last, rank.losses.points().back().position);
  return last;
}

}  // namespace adarun::monitor
