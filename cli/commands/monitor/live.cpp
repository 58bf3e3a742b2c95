// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/live.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/clean_text.h"
#include "base/wall_clock.h"
#include "cli/console/counted.h"
#include "cli/console/user_input.h"
#include "cli/jobs/attempts.h"
#include "cli/options/command.h"
#include "monitor/files/log_watch.h"
#include "monitor/view/keys.h"
#include "monitor/view/live_view.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

int say_nothing_to_read(const std::string& what) {
  std::fprintf(stderr, "adarun: nothing to read: %s\n", what.c_str());
  return exit_failed;
}

// How long a job has run; nullopt if not known.
std::optional<std::chrono::seconds> age_of(const JobFile& job) {
  if (job.began_ns == 0 || job.state == "lost") return std::nullopt;
  const std::chrono::nanoseconds age =
      job.running() ? std::chrono::nanoseconds(base::now_ns() - job.began_ns)
                    : std::chrono::nanoseconds(std::chrono::milliseconds(job.duration_ms));
  return std::chrono::duration_cast<std::chrono::seconds>(std::max(age, std::chrono::nanoseconds(0)));
}

/// One live view of one job.
class LiveMonitor {
 public:
  LiveMonitor(const AskedRun& asked, std::vector<monitor::LinePattern> patterns, bool color)
      : places_(asked.logs),
        watch_(asked.logs.places),
        has_patterns_(!patterns.empty()),
        style_(monitor::style_for(stdout, color)),
        view_(stdout, style_) {
    view_.set_elapsed({});  // Logs alone do not have the start time.
    view_.set_node_names(
        [this](std::uint32_t rank) { return base::clean_line(node_and_role_of(job_, rank)); });
    if (has_patterns_) {
      view_.read_also(std::move(patterns));
      watch_.poll_at_most(monitor::LogWatch::pattern_poll_bytes);
    }
    read_earlier(
        asked.earlier, [this](std::uint32_t rank, std::string_view bytes) { view_.feed(rank, bytes); },
        [this](std::uint64_t number, const std::string& change) { view_.next_attempt(number, change); });
  }

  /// Whether there is something to watch: logs, or a job that may still write some.
  bool can_begin() {
    const auto job = places_.job();
    return watch_.find() || (job && job->running());
  }

  /// Runs until the job ends or the user quits. If the job ends without a loss line, that is "nothing to
  /// read", as with --once.
  int run() {
    // Where stdout is a pager's, the keys are the pager's, too.
    UserInput input(isatty(STDOUT_FILENO) != 0 ? UserInput::Keys::read : UserInput::Keys::leave);
    if (input.reads_keys()) view_.expect_keys();
    int status = exit_done;
    for (;;) {
      const bool ended = look_at_job();
      const bool news = read();
      view_.tick(Clock::now());
      if (!style_.interactive) say_that_it_waits();
      if (ended && !news) {
        view_.finish();
        if (!view_.run().has_loss()) return say_nothing_to_read(places_.name + ": " + no_loss_line());
        if (job_->state != "done") say_how_it_ended(*job_);
        return exit_done;
      }
      const auto event = input.wait(std::chrono::milliseconds(news ? 0 : 100));
      if (event == UserInput::Event::interrupt) status = exit_interrupted;
      if (event == UserInput::Event::interrupt || !pass_on_keys(event, input.typed())) break;
    }
    view_.finish();
    return status;
  }

 private:
  static void say_how_it_ended(const JobFile& job) {
    const std::string status = job.status ? ", status " + std::to_string(*job.status) : "";
    std::fprintf(stderr, "adarun: job %s: %s%s\n", base::clean_line(job.id).c_str(),
                 base::clean_line(job.state).c_str(), status.c_str());
  }

  // Returns false if the user quits.
  bool pass_on_keys(UserInput::Event event, const std::string& typed) {
    const bool any = event == UserInput::Event::keys;
    for (const monitor::Key& key : any ? keys_.feed(typed) : keys_.finish())
      if (!view_.press(key) && (key.character == 'q' || key.character == 'Q')) return false;
    return true;
  }

  std::string no_loss_line() const {
    return watch_.size() == 0 ? "no log there" : "no loss line in " + counted(watch_.size(), "log");
  }

  // Once, for output without a live view, which would show it.
  void say_that_it_waits() {
    constexpr std::chrono::seconds timeout(2);
    if (!caught_up_ || says_what_it_reads_ || Clock::now() - begun_ < timeout) return;
    says_what_it_reads_ = true;
    if (!view_.run().has_loss())
      std::fprintf(stderr, "adarun: %s: %s yet; waiting for one until Ctrl-C\n", places_.name.c_str(),
                   no_loss_line().c_str());
  }

  // What was in the logs before the first complete poll has no known time: 0.
  bool read() {
    const std::int64_t now_ms = caught_up_ ? base::now_ns() / 1'000'000 : 0;
    bool is_over = false;  // The logs are those of the next attempt; they are read when that is noted.
    const bool news = watch_.poll([&](const monitor::LogFile& log, bool anew, std::string_view bytes) {
      const auto job = anew && !is_over ? places_.job() : std::nullopt;
      is_over = is_over || (job && goes_on_from(*job, id_));
      if (is_over) return;
      if (anew) view_.restart(log.rank);
      view_.feed(log.rank, bytes, now_ms);
    });
    if (is_over) next_look_ = {};
    caught_up_ = caught_up_ || !news;
    return news;
  }

  // Looks for new logs and for the job's end, twice a second, but for at most a twentieth of the time, which
  // matters with thousands of ranks.
  bool look_at_job() {
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return ended_;
    job_ = places_.job();
    if (job_) note_attempt(*job_);
    watch_.find();
    next_look_ = now + std::max<Clock::duration>(std::chrono::milliseconds(500), 20 * (Clock::now() - now));
    if (!job_) return false;
    view_.expect(job_->world_size);
    view_.set_elapsed(age_of(*job_));
    for (const auto& rank : job_->ranks) view_.set_rank_state(rank.rank, rank_state(*job_, rank));
    ended_ = !may_write_to(places_.places.front(), *job_);
    return ended_;
  }

  // If another attempt has this log folder now, reads its logs from their beginnings.
  void note_attempt(const JobFile& job) {
    const bool is_next = goes_on_from(job, id_);
    id_ = job.id;
    if (!is_next) return;
    view_.next_attempt(attempt_of(job), last_change_of(job));
    watch_ = monitor::LogWatch(places_.places);
    if (has_patterns_) watch_.poll_at_most(monitor::LogWatch::pattern_poll_bytes);
  }

  const LogPlaces& places_;
  monitor::LogWatch watch_;
  const bool has_patterns_;
  monitor::Style style_;
  monitor::LiveView view_;
  monitor::KeyReader keys_;
  Clock::time_point next_look_;
  bool ended_ = false;
  bool caught_up_ = false;
  bool says_what_it_reads_ = false;
  const Clock::time_point begun_ = Clock::now();
  std::optional<JobFile> job_;
  std::string id_;  ///< Of the attempt that is read.
};

}  // namespace

int monitor_live(const AskedRun& asked, std::vector<monitor::LinePattern> patterns, bool color) {
  LiveMonitor live(asked, std::move(patterns), color);
  if (!live.can_begin())
    return say_nothing_to_read(asked.logs.name + ": no log there; looked for " + monitor::looked_for);
  return live.run();
}

}  // namespace adarun::cli
