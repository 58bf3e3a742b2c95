// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/new_file.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/commands/monitor/modes.h"
#include "cli/commands/monitor/runs.h"
#include "cli/commands/monitor/summaries.h"
#include "cli/console/print.h"
#include "monitor/base/error.h"
#include "monitor/plot/csv.h"
#include "monitor/plot/loss_plot.h"
#include "monitor/plot/picture.h"

namespace adarun::cli {
namespace {

namespace plot = monitor::plot;

constexpr const char* monitor_examples = R"(
Without an argument it reads ./log_output. A folder holds worker_<rank>.log, device<i>/log* or
node<s>/device<i>/train.log. Places of different jobs are runs beside each other, never one.
q or Ctrl-C ends the live view; it ends by itself with its job.

Examples:
  adarun monitor                                 the job in ./log_output, live
  adarun monitor --once log_output               a summary
  adarun monitor --once --json 20261121-010203   a job by its id, for programs
  adarun monitor --once --last-attempt           of a job that was started again, only its last attempt
  adarun monitor --check run1 || echo "look at run1"
  adarun monitor train_a.log train_b.log         any logs with loss lines
  adarun monitor --pattern 'it (?<step>\d+) .*train=(?<loss>\S+)' train.log
  adarun monitor --serve 127.0.0.1:0             a page in a browser
  adarun monitor --serve 8080 --compare run1 run2
  adarun monitor --plot loss.svg --csv loss.csv --compare run1 run2

Exit status: 0 done, 1 --check found something, 2 wrong usage, 3 nothing to read, 130 ended by Ctrl-C.)";

/// The output file, or stdout for "-".
class ExportFile {
 public:
  explicit ExportFile(const std::string& name) : name_(name) {
    if (name == "-") return;
    file_.emplace(name, readable_and_writable);
    if (*file_) stream_ = ::fdopen(::fcntl(file_->fd(), F_DUPFD_CLOEXEC, 0), "wb");
    own_ = base::CFile(*file_ ? stream_ : nullptr);
    if (!own_) fail();
  }

  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail();
  }

  void finish() {
    const int status =
        own_ ? std::fclose(own_.release()) : std::fflush(stream_);  // NOLINT: its result counts
    if (status != 0 || (file_ && !file_->put_in_place())) fail();
  }

 private:
  static constexpr mode_t readable_and_writable = 0666;

  [[noreturn]] void fail() const {
    throw std::runtime_error(name_ + ": cannot be written: " + base::system_text(errno));
  }

  std::string name_;
  std::optional<base::NewFile> file_;
  std::FILE* stream_ = stdout;
  base::CFile own_;  ///< What `stream_` is and finish() closes; null for stdout, which stays open.
};

struct MonitorOptions {
  std::vector<std::string> places;
  bool once = false;
  bool json = false;
  bool check = false;
  bool compare = false;
  bool last_attempt = false;
  std::string metrics;
  std::vector<std::string> patterns;
  ServeOptions serve;
  std::string plot;  ///< Path of an .svg or .png; empty: none.
  std::string csv;   ///< Path of a file, or "-" for stdout; empty: none.

  bool wants_files() const { return !plot.empty() || !csv.empty(); }

  /// Also beside files.
  bool wants_summary() const { return once || json || check; }
};

void add_export_options(CLI::App& command, MonitorOptions& options) {
  add_text(command, "--plot", options.plot, "FILE.svg|FILE.png", "Draw the loss as a picture, and end")
      ->check(CLI::Validator(plot::picture_problem, ""));
  add_text(command, "--csv", options.csv, "FILE",
           "Write the loss of each rank and step as a table (-: stdout), and end");
}

// Writes the plot and the CSV table of these runs. Throws if a file cannot be written.
void export_runs(const std::vector<ReadRun>& runs, const MonitorOptions& options) {
  if (!options.plot.empty()) {
    std::vector<plot::NamedRun> named;
    named.reserve(runs.size());
    for (const ReadRun& run : runs) named.push_back({run.label, run.run.get()});
    ExportFile output(options.plot);
    output.write(plot::picture(plot::loss_plot(named), options.plot));
    output.finish();
    say_written(options.plot);
  }
  if (options.csv.empty()) return;
  ExportFile output(options.csv);
  output.write(plot::csv_heading());
  for (const ReadRun& run : runs)
    plot::csv_lines(run.id, *run.run, [&](std::string_view bytes) { output.write(bytes); });
  output.finish();
  say_written(options.csv);
}

// What is wrong with a pattern; empty: nothing.
std::string complaint_about(const std::string& pattern) {
  try {
    const monitor::LinePattern checked(pattern);
    return {};
  } catch (const monitor::Error& error) {
    return error.what();
  }
}

void add_pattern_option(CLI::App& command, std::vector<std::string>& patterns) {
  add_text(command, "--pattern", patterns, "REGEX",
           "Also read lines that match this regular expression, which names what it finds: (?<loss>...), "
           "validation, epoch, epochs, step, steps, time (of a step, ms), lr, throughput, accuracy")
      ->allow_extra_args(false)
      ->check(complaint_about);
}

std::vector<monitor::LinePattern> line_patterns(const std::vector<std::string>& patterns) {
  return {patterns.begin(), patterns.end()};
}

std::vector<AskedRun> runs_of(const MonitorOptions& options, bool each) {
  std::vector<AskedRun> runs = asked_runs(options.places, each, options.metrics);
  if (options.last_attempt)
    for (AskedRun& run : runs) run.show_last_attempt();
  return runs;
}

// Reads the runs once and prints or exports them.
int tell(const MonitorOptions& options) {
  if (options.wants_summary() && options.csv == "-")
    throw ExitError(exit_usage, "--csv -: the summary would be printed in the same place");
  const std::vector<ReadRun> runs =
      read_runs(runs_of(options, options.compare), line_patterns(options.patterns));
  if (options.wants_files()) export_runs(runs, options);
  if (options.wants_files() && !options.wants_summary()) return exit_done;
  const bool found = print_summaries(runs, {options.json, options.compare, options.check});
  return options.check && found ? exit_no : exit_done;
}

// Beside a page, which is served until it is ended, nothing is printed or written once.
void settle_serve_options(CLI::App& command) {
  CLI::Option* serve = command.get_option("--serve");
  command.get_option("--metrics")->needs(serve);
  for (const char* other : {"--once", "--json", "--check", "--plot", "--csv"})
    serve->excludes(command.get_option(other));
}

// The one job that the live view shows.
AskedRun run_to_watch(const MonitorOptions& options) {
  const std::vector<AskedRun> asked = runs_of(options, false);
  if (asked.size() == 1) return asked[0];
  std::string ids;
  for (const AskedRun& run : asked) {
    const auto job = run.logs.job();
    ids += (ids.empty() ? "" : ", ") + (job ? job->called() : run.id);
  }
  throw ExitError(exit_usage,
                  "logs of " + std::to_string(asked.size()) + " jobs (" + ids +
                      "), and the live view shows one: --once compares them, --serve lays them over "
                      "each other in a browser");
}

int run_monitor(const MonitorOptions& options, const Invocation& invocation) {
  if (options.serve.wanted())
    return serve_page(runs_of(options, options.compare), line_patterns(options.patterns), options.serve);
  if (options.wants_summary() || options.compare || options.wants_files()) return tell(options);
  return monitor_live(run_to_watch(options), line_patterns(options.patterns), invocation.color);
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
  command->add_flag(
      "--last-attempt", options->last_attempt,
      "Of a job that was started again only the last attempt, without the losses of earlier ones");
  add_text(*command, "--metrics", options->metrics, "FILE",
           "With --serve: what the trainer's --metrics wrote, for the page");
  options->serve.log = &invocation.log;
  add_serve_options(*command, options->serve);
  add_export_options(*command, *options);
  settle_serve_options(*command);
  add_pattern_option(*command, options->patterns);
  command->footer(monitor_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_monitor(*options, invocation); });
}

}  // namespace adarun::cli
