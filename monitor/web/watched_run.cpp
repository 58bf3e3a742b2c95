// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/watched_run.h"

#include <algorithm>
#include <utility>

#include "base/wall_clock.h"
#include "monitor/base/error.h"
#include "monitor/parse/metric_line.h"

namespace adarun::monitor::web {

WatchedRun::WatchedRun(const std::vector<std::filesystem::path>& places, const std::filesystem::path& metrics)
    : watch_(places, Links::refused),
      metrics_path_(metrics),
      each_has_metrics_(places.size() == 1 && metrics == places[0] / "metrics.jsonl"),
      began_(Clock::now()) {
  run_.on_metrics([this](std::uint32_t rank, std::uint64_t position, const MetricLine& line) {
    take_metrics(rank, position, line);
  });
  if (!metrics.empty()) metrics_.emplace(metrics);
  find_logs();
}

void WatchedRun::read_also(std::vector<LinePattern> patterns) {
  run_.read_also(std::move(patterns));
  poll_bytes_ = LogWatch::pattern_poll_bytes;
  watch_.poll_at_most(poll_bytes_);
}

void WatchedRun::find_logs() {
  if (watch_.find()) logs_ = watch_.logs();
}

bool WatchedRun::poll(Clock::time_point now) {
  if (!earlier_.empty()) {
    read_earlier();
    return true;
  }
  const std::int64_t now_ms =
      caught_up_ ? base::now_ns() / 1'000'000 : 0;  // The arrival time of what was there before is not known.
  bool news = watch_.poll([this, now_ms](const LogFile& log, bool anew, std::string_view bytes) {
    const bool is_first = !logs_.empty() && log.rank == logs_.front().rank;
    if (anew) run_.restart(log.rank);
    if (anew && is_first) adasum_lines_.reset();
    feed(log, is_first, bytes, now_ms);
  });
  if (metrics_ && metrics_->poll()) news = true;
  if (run_.pass_on_late(now_ms)) news = true;
  if (news) changed_ = true;
  if (news && caught_up_) note_arrival(now);
  if (!news && !caught_up_) {
    caught_up_ = true;
    if (run_.pass_on_late(base::now_ns() / 1'000'000)) changed_ = true;
    for (const LogFile& log : logs_) run_.set_written(log.rank, written_ms(log.path, Links::refused));
    position_ = run_.position();
    moved_ = now;
  }
  if (caught_up_ && (news || facts_.state == "running")) rate_.note(now, run_.position());
  return news;
}

void WatchedRun::feed(const LogFile& log, bool is_first, std::string_view bytes, std::int64_t now_ms) {
  run_.feed(log.rank, bytes, now_ms);
  if (is_first)
    adasum_lines_.feed_each(bytes, [this, &log](std::string_view line) { take_adasum(log.rank, line); });
}

// A piece of the logs of the first attempt that is still to be read.
void WatchedRun::read_earlier() {
  const EarlierRun& first = earlier_.front();
  changed_ = true;
  if (!first.folder.empty() && read_earlier_logs(first.folder)) return;
  run_.next_attempt(first.next, first.change);
  adasum_lines_.reset();
  timed_to_.clear();
  timing_rank_.reset();
  earlier_watch_.reset();
  earlier_.pop_front();
  if (!earlier_.empty()) return;
  if (each_has_metrics_) metrics_->follow(metrics_path_);
  apply_facts();
}

// Returns false at their end; what cannot be read is left out.
bool WatchedRun::read_earlier_logs(const std::filesystem::path& folder) {
  try {
    if (!earlier_watch_) {
      earlier_watch_.emplace(std::vector{folder}, Links::refused);
      earlier_watch_->poll_at_most(poll_bytes_);
      earlier_watch_->leave_out_unreadable();
      if (each_has_metrics_) metrics_->follow(folder / metrics_path_.filename());
      earlier_watch_->find();
    }
    const bool news = each_has_metrics_ && metrics_->poll();
    const std::vector<LogFile> logs = earlier_watch_->logs();
    return earlier_watch_->poll([&](const LogFile& log, bool, std::string_view bytes) {
      feed(log, log.rank == logs.front().rank, bytes, 0);
    }) || news;
  } catch (const Error&) {
    return false;
  }
}

void WatchedRun::drain() {
  while (poll(Clock::now())) {
  }
  for (const LogFile& log : logs_) run_.finish(log.rank);
}

void WatchedRun::note_findings(std::vector<RunFinding> findings) {
  findings_ = std::move(findings);
  changed_ = false;
}

void WatchedRun::set_facts(JobFacts facts) {
  facts_ = std::move(facts);
  if (earlier_.empty()) apply_facts();
}

void WatchedRun::apply_facts() {
  run_.expect(facts_.world_size);
  if (facts_.began_ns > 0 && arrived_.times.empty()) {
    const std::chrono::nanoseconds age =
        std::chrono::system_clock::now().time_since_epoch() - std::chrono::nanoseconds(facts_.began_ns);
    began_ = Clock::now() - std::max(age, std::chrono::nanoseconds(0));  // The clock may have been set back.
  }
  for (const auto& [rank, state] : facts_.ranks) run_.set_state(rank, state);
}

void WatchedRun::take_metrics(std::uint32_t rank, std::uint64_t position, const MetricLine& line) {
  std::uint64_t& timed_to = timed_to_.try_emplace(rank, begin_of_attempt(position)).first->second;
  if (position < timed_to) timed_to = 0;
  const std::uint64_t steps = position - timed_to;
  if (line.step_ms) printed_.steps.add(*line.step_ms, steps);
  if (!timing_rank_ && (line.epoch_ms || line.step_ms)) timing_rank_ = rank;
  if (timing_rank_ == rank && (line.epoch_ms || line.step_ms)) {
    if (printed_s_ == 0) printed_.times.note(timed_to, 0);
    printed_s_ += line.epoch_ms.value_or(line.step_ms.value_or(0) * static_cast<double>(steps)) / 1000;
    printed_.times.note(position, printed_s_);
  }
  if (line.epoch_ms || line.step_ms) timed_to = position;
}

// The position before the first step of the attempt that is read, of which this is one.
std::uint64_t WatchedRun::begin_of_attempt(std::uint64_t position) const {
  const RunAttempt& attempt = run_.attempts().back();
  if (run_.attempts().size() == 1) return 0;
  return attempt.begin && attempt.begin->position <= position ? attempt.begin->position - 1 : position;
}

void WatchedRun::note_arrival(Clock::time_point now) {
  const std::uint64_t position = run_.position();
  if (position > position_) {
    const std::chrono::duration<double, std::milli> passed = now - moved_;
    const std::uint64_t steps = position - position_;
    if (position_ > 0) arrived_.steps.add(passed.count() / static_cast<double>(steps), steps);
  }
  if (position == position_) return;
  arrived_.times.note(position, std::chrono::duration<double>(now - began_).count());
  position_ = position;
  moved_ = now;
}

// Beside the rank's losses of the same epoch. Where it has printed none, and until the length of an epoch is
// known, all epochs are placed in the first one.
void WatchedRun::take_adasum(std::uint32_t rank, std::string_view line) {
  const auto said = line.rfind("adasum", 0) == 0 ? parse_adasum_line(line) : std::nullopt;
  if (!said || said->epoch == 0) return;
  std::uint64_t position = (said->epoch - 1) * run_.steps_per_epoch().value_or(0) + said->step;
  const auto found = run_.ranks().find(rank);
  const std::optional<Sample> last = found == run_.ranks().end() ? std::nullopt : found->second.last;
  if (last && last->epoch == said->epoch && last->position >= last->step)
    position = last->position - last->step + said->step;
  adasum_.add("adasum.orthogonality", {position, said->lowest, said->orthogonality, said->highest});
  adasum_.add("adasum.cosine", {position, said->cosine, said->cosine, said->cosine});
}

const Quantities& WatchedRun::quantities() const {
  return metrics_ && !metrics_->quantities().empty() ? metrics_->quantities() : adasum_;
}

std::string_view WatchedRun::time_source() const {
  if (metrics_ && !metrics_->times().empty()) return "from the metrics file";
  if (!printed_.times.empty()) return "from printed times of epochs";
  return arrived_.times.empty() ? "not known" : "as lines arrived";
}

const TimeLine& WatchedRun::times() const {
  if (metrics_ && !metrics_->times().empty()) return metrics_->times();
  return printed_.times.empty() ? arrived_.times : printed_.times;
}

const StepTimes& WatchedRun::step_times() const {
  if (metrics_ && !metrics_->step_times().empty()) return metrics_->step_times();
  return printed_.steps.empty() ? arrived_.steps : printed_.steps;
}

std::string WatchedRun::node_of(std::uint32_t rank) const {
  const auto found = facts_.nodes.find(rank);
  return found == facts_.nodes.end() || !earlier_.empty() ? std::string() : found->second;
}

}  // namespace adarun::monitor::web
