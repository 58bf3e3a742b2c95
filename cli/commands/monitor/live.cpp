// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/modes.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/wall_clock.h"
#include "cli/arguments/command.h"
#include "cli/commands/monitor/attempt_reader.h"
#include "cli/console/user_input.h"
#include "cli/jobs/find_job.h"
#include "monitor/files/log_watch.h"
#include "monitor/view/live_view.h"
#include "monitor/view/view_state.h"

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
  const auto age = job.ran_for().value_or(std::chrono::milliseconds(0));
  return std::chrono::duration_cast<std::chrono::seconds>(std::max(age, std::chrono::milliseconds(0)));
}

std::size_t poll_bytes_with(const std::vector<monitor::LinePattern>& patterns) {
  return patterns.empty() ? monitor::LogWatch::default_poll_bytes : monitor::LogWatch::pattern_poll_bytes;
}

/// One live view of one job.
class LiveMonitor {
 public:
  LiveMonitor(const AskedRun& asked, std::vector<monitor::LinePattern> patterns, bool color)
      : places_(asked.logs),
        style_(monitor::style_for(stdout, color)),
        view_(stdout, style_),
        reader_(
            asked, poll_bytes_with(patterns),
            [this](std::uint32_t rank, bool anew, std::string_view bytes) {
              if (anew) view_.run().restart(rank);
              view_.feed(rank, bytes, now_ms_);
            },
            [this](std::uint64_t number, const std::string& change) { view_.next_attempt(number, change); }) {
    view_.set_elapsed({});  // Logs alone do not have the start time.
    view_.set_node_names(
        [this](std::uint32_t rank) { return base::clean_line(node_and_role_of(job_, rank)); });
    if (!patterns.empty()) view_.run().read_also(std::move(patterns));
    reader_.read_earlier();
  }

  /// Whether there is something to watch: logs, or a job that may still write some.
  bool can_begin() {
    const auto job = places_.job();
    return reader_.find() || (job && job->running());
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
        if (!view_.run().has_loss()) return say_nothing_to_read(places_.name + ": " + no_loss());
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
    std::fprintf(stderr, "adarun: %s: %s%s\n", job.title().c_str(), base::clean_line(job.state).c_str(),
                 status.c_str());
  }

  // Returns false if the user quits.
  bool pass_on_keys(UserInput::Event event, const std::string& typed) {
    const bool any = event == UserInput::Event::keys;
    for (const monitor::Key& key : any ? keys_.feed(typed) : keys_.finish())
      if (!view_.press(key) && (key.character == 'q' || key.character == 'Q')) return false;
    return true;
  }

  std::string no_loss() const {
    return reader_.watch().size() == 0 ? "no log there" : no_loss_line(reader_.watch());
  }

  // Once, for output without a live view, which would show it.
  void say_that_it_waits() {
    constexpr std::chrono::seconds timeout(2);
    if (!caught_up_ || says_what_it_reads_ || Clock::now() - begun_ < timeout) return;
    says_what_it_reads_ = true;
    if (!view_.run().has_loss())
      std::fprintf(stderr, "adarun: %s: waiting for a loss line until Ctrl-C: %s\n", places_.name.c_str(),
                   no_loss().c_str());
  }

  // What was in the logs before the first complete poll has no known time: 0.
  bool read() {
    now_ms_ = caught_up_ ? base::now_ns() / 1'000'000 : 0;
    const bool news = reader_.read();
    view_.run().pass_on_late(now_ms_);
    if (reader_.is_at_end_of_attempt()) next_look_ = {};
    if (!caught_up_ && !news)
      for (const monitor::LogFile& log : reader_.watch().logs())
        view_.run().set_written(log.rank, monitor::written_ms(log.path));
    caught_up_ = caught_up_ || !news;
    return news;
  }

  // Looks for new logs and for the job's end, twice a second; with thousands of ranks less often, as that
  // takes long.
  bool look_at_job() {
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return ended_;
    job_ = reader_.look();
    next_look_ = now + std::clamp<Clock::duration>(20 * (Clock::now() - now), std::chrono::milliseconds(500),
                                                   std::chrono::seconds(10));
    ended_ = false;
    if (!job_) return false;
    view_.run().expect(job_->world_size);
    view_.set_elapsed(age_of(*job_));
    for (const auto& rank : job_->ranks) view_.run().set_state(rank.rank, rank_state(*job_, rank));
    ended_ = !reader_.is_followed() && !may_write_to(places_.places.front(), *job_);
    return ended_;
  }

  const LogPlaces& places_;
  monitor::Style style_;
  monitor::LiveView view_;
  AttemptReader reader_;
  std::int64_t now_ms_ = 0;  ///< When what is read arrived.
  monitor::KeyReader keys_;
  Clock::time_point next_look_;
  bool ended_ = false;
  bool caught_up_ = false;
  bool says_what_it_reads_ = false;
  const Clock::time_point begun_ = Clock::now();
  std::optional<JobFile> job_;
};

}  // namespace

int monitor_live(const AskedRun& asked, std::vector<monitor::LinePattern> patterns, bool color) {
  LiveMonitor live(asked, std::move(patterns), color);
  if (!live.can_begin())
    return say_nothing_to_read(asked.logs.name + ": no log there; looked for " + monitor::looked_for);
  return live.run();
}

}  // namespace adarun::cli
