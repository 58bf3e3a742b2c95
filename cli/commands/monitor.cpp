// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "base/clean_text.h"
#include "base/wall_clock.h"
#include "cli/commands/commands.h"
#include "cli/commands/monitor/compare.h"
#include "cli/commands/monitor/export.h"
#include "cli/commands/monitor/finding_times.h"
#include "cli/commands/monitor/runs.h"
#include "cli/commands/monitor/serve.h"
#include "cli/console/counted.h"
#include "cli/console/user_input.h"
#include "cli/jobs/job_dir.h"
#include "cli/options/command.h"
#include "cli/options/pattern_option.h"
#include "cli/options/place_argument.h"
#include "monitor/files/log_watch.h"
#include "monitor/view/keys.h"
#include "monitor/view/live_view.h"
#include "monitor/view/summary.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* examples = R"(
Without an argument it reads ./log_output. A folder holds worker_<rank>.log, device<i>/log* or
node<s>/device<i>/train.log. Places of different jobs are runs beside each other, never one.
q or Ctrl-C ends the live view; it ends by itself with its job.

Examples:
  adarun monitor                                 the job in ./log_output, live
  adarun monitor --once log_output               a summary
  adarun monitor --once --json 20261121-010203   a job by its id, for programs
  adarun monitor --check run1 || echo "look at run1"
  adarun monitor train_a.log train_b.log         any logs with loss lines
  adarun monitor --pattern 'it (?<step>\d+) .*train=(?<loss>\S+)' train.log
  adarun monitor --serve 127.0.0.1:0             a page in a browser
  adarun monitor --serve 8080 --compare run1 run2
  adarun monitor --plot loss.svg --csv loss.csv --compare run1 run2

Exit status: 0 done, 1 --check found something, 2 wrong usage, 3 nothing to read, 130 ended by Ctrl-C.)";

struct MonitorOptions {
  std::vector<std::string> places;
  bool once = false;
  bool json = false;
  bool check = false;
  bool compare = false;
  std::string metrics;
  std::vector<std::string> patterns;
  ServeOptions serve;
  ExportOptions files;
};

int say_nothing_to_read(const std::string& what) {
  std::fprintf(stderr, "adarun: nothing to read: %s\n", what.c_str());
  return exit_failed;
}

std::string no_logs_in(const LogPlaces& places) {
  return places.name + ": no log there; looked for " + monitor::looked_for;
}

void print_summary(const ReadRun& read, const monitor::Summary& summary, bool json) {
  const auto node = [&read](std::uint32_t rank) { return node_of(read.job, rank); };
  if (json) {
    std::printf("%s\n", monitor::summary_json(summary, node).c_str());
    return;
  }
  if (const auto& job = read.job) {
    std::printf("%-11s %s, %s", "job", base::clean_line(job->id).c_str(),
                base::clean_line(job->state).c_str());
    if (job->status) std::printf(", status %d", *job->status);
    std::printf("\n");
  }
  for (const std::string& line : monitor::summary_lines(summary, node))
    std::printf("%s\n", base::clean_line(line).c_str());
}

// Below a table, which only counts them.
void print_findings(const ReadRun& read, const monitor::Summary& summary) {
  const auto node = [&read](std::uint32_t rank) { return node_of(read.job, rank); };
  for (const monitor::RunFinding& finding : summary.findings)
    std::printf("%s: %s: %s\n", base::clean_line(read.id).c_str(),
                std::string(monitor::name_of(finding.fault)).c_str(),
                base::clean_line(monitor::finding_text(finding, node)).c_str());
}

// What is read once and then told in some form.
int tell(const MonitorOptions& options) {
  std::vector<ReadRun> runs;
  for (const AskedRun& asked : asked_runs(options.places, options.compare, ""))
    runs.push_back(read_run(asked, line_patterns(options.patterns)));
  const bool compare = options.compare || runs.size() > 1;
  if (options.files.wanted()) {
    export_runs(runs, options.files);
    return exit_done;
  }
  if (compare)
    std::fputs((options.json ? comparison_json(runs) + "\n" : comparison_table(runs)).c_str(), stdout);
  bool found = false;
  for (const ReadRun& read : runs) {
    monitor::Summary summary = monitor::summary_of(*read.run);
    if (!compare || (options.check && !options.json)) date_findings(summary.findings, read);
    if (!compare) print_summary(read, summary, options.json);
    if (compare && options.check && !options.json) print_findings(read, summary);
    found = found || !summary.findings.empty();
  }
  return options.check && found ? exit_no : exit_done;
}

// How long a job runs, or has run; nothing where that is not known.
std::optional<std::chrono::seconds> age_of(const JobFile& job) {
  if (job.began_ns == 0 || job.state == "lost") return std::nullopt;
  const std::chrono::nanoseconds age =
      job.running() ? std::chrono::nanoseconds(base::now_ns() - job.began_ns)
                    : std::chrono::nanoseconds(std::chrono::milliseconds(job.duration_ms));
  return std::chrono::duration_cast<std::chrono::seconds>(std::max(age, std::chrono::nanoseconds(0)));
}

/// One live view of one job.
class Watching {
 public:
  Watching(const LogPlaces& places, const MonitorOptions& options, bool color)
      : places_(places),
        watch_(places.places),
        style_(monitor::style_for(stdout, color)),
        view_(stdout, style_) {
    view_.set_elapsed({});  // Logs alone do not say when it began.
    view_.set_node_names([this](std::uint32_t rank) { return node_of(job_, rank); });
    if (options.patterns.empty()) return;
    view_.read_also(line_patterns(options.patterns));
    watch_.poll_at_most(monitor::LogWatch::pattern_poll_bytes);
  }

  /// Whether there is something to watch: logs, or a job that may still write some.
  bool can_begin() {
    const auto job = places_.job();
    return watch_.find() || (job && job->running());
  }

  /// Until the job ends or the user has seen enough. A job that has ended without a loss line is nothing to
  /// read, as with --once.
  int run() {
    UserInput input(UserInput::Keys::read);
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

  // False where the user has seen enough.
  bool pass_on_keys(UserInput::Event event, const std::string& typed) {
    const bool any = event == UserInput::Event::keys;
    for (const monitor::Key& key : any ? keys_.feed(typed) : keys_.finish())
      if (!view_.press(key) && (key.character == 'q' || key.character == 'Q')) return false;
    return true;
  }

  std::string no_loss_line() const {
    return watch_.size() == 0 ? "no log there" : "no loss line in " + counted(watch_.size(), "log");
  }

  // Where there is no picture that says so: once.
  void say_that_it_waits() {
    constexpr std::chrono::seconds timeout(2);
    if (!caught_up_ || says_what_it_reads_ || Clock::now() - begun_ < timeout) return;
    says_what_it_reads_ = true;
    if (!view_.run().has_loss())
      std::fprintf(stderr, "adarun: %s: %s yet; waiting for one until Ctrl-C\n", places_.name.c_str(),
                   no_loss_line().c_str());
  }

  // What was there before we looked came at a time that nobody knows.
  bool read() {
    const std::int64_t now_ms = caught_up_ ? base::now_ns() / 1'000'000 : 0;
    const bool news = watch_.poll([&](const monitor::LogFile& log, bool anew, std::string_view bytes) {
      if (anew) view_.restart(log.rank);
      view_.feed(log.rank, bytes, now_ms);
    });
    caught_up_ = caught_up_ || !news;
    return news;
  }

  // Twice a second, and of thousands of ranks for no more than a twentieth of the time: new logs, and whether
  // the job has ended.
  bool look_at_job() {
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return ended_;
    watch_.find();
    job_ = places_.job();
    next_look_ = now + std::max<Clock::duration>(std::chrono::milliseconds(500), 20 * (Clock::now() - now));
    if (!job_) return false;
    view_.expect(job_->world_size);
    view_.set_elapsed(age_of(*job_));
    for (const auto& rank : job_->ranks) view_.set_rank_state(rank.rank, rank_state(*job_, rank));
    ended_ = !job_->running();
    return ended_;
  }

  const LogPlaces& places_;
  monitor::LogWatch watch_;
  monitor::Style style_;
  monitor::LiveView view_;
  monitor::KeyReader keys_;
  Clock::time_point next_look_;
  bool ended_ = false;
  bool caught_up_ = false;
  bool says_what_it_reads_ = false;
  const Clock::time_point begun_ = Clock::now();
  std::optional<JobFile> job_;
};

// The logs of the one job that the live view shows.
LogPlaces places_to_watch(const MonitorOptions& options) {
  const std::vector<AskedRun> asked = asked_runs(options.places, false, "");
  if (asked.size() == 1) return asked[0].logs;
  std::string ids;
  for (const AskedRun& run : asked) ids += (ids.empty() ? "" : ", ") + run.id;
  throw Quit(exit_usage, "logs of " + std::to_string(asked.size()) + " jobs (" + ids +
                             "), and the live view shows one: --once compares them, --serve lays them over "
                             "each other in a browser");
}

int run(const MonitorOptions& options, const Invocation& invocation) {
  if (options.serve.wanted())
    return serve_page(options.places, options.compare, options.metrics, line_patterns(options.patterns),
                      options.serve);
  if (options.once || options.json || options.check || options.compare || options.files.wanted())
    return tell(options);
  const LogPlaces places = places_to_watch(options);
  Watching watching(places, options, invocation.color);
  if (!watching.can_begin()) return say_nothing_to_read(no_logs_in(places));
  return watching.run();
}

}  // namespace

void add_monitor(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<MonitorOptions>();
  CLI::App* command = app.add_subcommand("monitor", "Show the loss of a job, live or as a summary");
  command->add_option("places", options->places, "Log folders, log files or job ids")
      ->check(names_a_place())
      ->type_name("JOB|DIR|FILE");
  command->add_flag("--once", options->once, "Print a summary of what is there now, and end");
  command->add_flag("--json", options->json, "Print the summary as JSON (with or without --once)");
  command->add_flag("--check", options->check,
                    "Print the summary, and exit 1 where it found something wrong");
  command->add_flag(
      "--compare", options->compare,
      "Take each place as a run of its own, also where no job.json tells of a job; lay them over each other");
  command->add_option("--metrics", options->metrics, "What the trainer's --metrics wrote, for the page")
      ->type_name("FILE");
  options->serve.log = &invocation.log;
  add_serve_options(*command, options->serve);
  add_export_options(*command, options->files);
  add_pattern_option(*command, options->patterns);
  command->footer(examples);
  command->callback([options, &invocation] { invocation.exit_status = run(*options, invocation); });
}

}  // namespace adarun::cli
