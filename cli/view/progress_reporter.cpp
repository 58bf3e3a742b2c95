// SPDX-License-Identifier: Apache-2.0
#include "cli/view/progress_reporter.h"

#include <sstream>
#include <utility>

#include "base/describe.h"
#include "base/system_text.h"
#include "base/wall_clock.h"
#include "launcher/job/ranks.h"

namespace adarun::cli {

std::string staging_line(const launcher::StageProgress& progress) {
  return "adarun: staging: " + progress_bar(progress.bytes_sent, progress.bytes_due) + " " +
         base::describe_bytes(progress.bytes_sent) + " of " + base::describe_bytes(progress.bytes_due) +
         " sent, " + std::to_string(progress.nodes_done) + " of " + base::counted(progress.nodes, "node") +
         " done";
}

std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time) {
  std::string text = "staged " + base::counted(progress.files, "file") + " (" + base::describe_bytes(bytes) +
                     ") on " + base::counted(progress.nodes, "node") + " in " + base::describe(time) + ": ";
  const bool all_there = progress.files_kept == progress.files * progress.nodes;
  if (all_there) return text + "all there already";
  text += base::describe_bytes(progress.bytes_sent) + " sent";
  return progress.files_kept == 0 ? text : text + ", the rest was there";
}

namespace {

using std::chrono::milliseconds;

std::string how_it_ended(const launcher::RankRecord& record) {
  const std::string end = launcher::describe_end(record);
  return record.state == launcher::RankState::stopped ? end + ", stopped by adarun" : end;
}

milliseconds running_time(const launcher::RankRecord& record) {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::nanoseconds(record.ended_ns - record.started_ns));
}

}  // namespace

void ProgressReporter::begin() {
  begun_ = Clock::now();
  const std::string way = options_.reach->text(options_);
  tell(plan_.title() + ": connecting to " + base::counted(plan_.nodes.size(), "node") +
       (way.empty() ? "" : " " + way));
  show_connecting();
}

// With -v, each node and each rank has its own line instead.
bool ProgressReporter::draws_line() const {
  const bool tells_each = options_.log->shows(base::Level::info);
  return options_.level != base::Level::error && !tells_each && !view_.draws_in_place() && line_.due();
}

void ProgressReporter::show_connecting() {
  if (connected_ >= plan_.nodes.size()) return line_.clear();
  if (draws_line())
    line_.show("adarun: connecting: " + progress_bar(connected_, plan_.nodes.size()) + " " +
               std::to_string(connected_) + " of " + base::counted(plan_.nodes.size(), "node"));
}

// Clears the progress line before other messages.
void ProgressReporter::no_longer_connecting() {
  connected_ = plan_.nodes.size();
  line_.clear();
}

// Only where it takes long, and until ranks print something.
void ProgressReporter::show_starting() {
  constexpr std::chrono::seconds usual{1};
  if (has_output_ || started_ >= plan_.world_size()) return line_.clear();
  if (Clock::now() - starting_since_ >= usual && draws_line())
    line_.show("adarun: starting: " + progress_bar(started_, plan_.world_size()) + " " +
               std::to_string(started_) + " of " + base::counted(plan_.world_size(), "rank"));
}

void ProgressReporter::end(const launcher::JobReport& report) {
  if (report.failures.empty())
    tell("the job of " + base::counted(plan_.world_size(), "rank") + " ended after " +
         base::describe(report.duration) + ": all exited 0; logs in " + options_.log_dir + "/");
}

void ProgressReporter::on_greeted(std::uint32_t node, const launcher::protocol::Hello& hello) {
  const auto time = std::chrono::duration_cast<milliseconds>(Clock::now() - begun_);
  ++connected_;
  show_connecting();
  times_[node].end(base::now_ns());
  const std::string parts = times_[node].text();
  tell(node, "connected after " + base::describe(time) + (parts.empty() ? "" : " (" + parts + ")") +
                 ": adarun-agent " + hello.version + " on " + hello.hostname + ", pid " +
                 std::to_string(hello.pid) + (hello.note.empty() ? "" : "; " + hello.note));
}

void ProgressReporter::on_lost(std::uint32_t node, const std::string& reason) {
  no_longer_connecting();
  tell(node, "given up: " + reason);
}

void ProgressReporter::on_staging(const launcher::StageProgress& progress) {
  const bool begins = staging_since_ == Clock::time_point();
  if (begins) staging_since_ = Clock::now();
  if (progress.nodes_done < progress.nodes) {
    if (options_.level == base::Level::error) return;
    if (!view_.draws_in_place() && line_.due()) line_.show(staging_line(progress));
    if (begins && view_.draws_in_place())
      view_.say("staging " + base::counted(progress.files, "file") + " to " +
                base::counted(progress.nodes, "node"));
    return;
  }
  line_.clear();
  tell(describe_staging(progress, launcher::bytes_of(plan_.stage),
                        std::chrono::duration_cast<milliseconds>(Clock::now() - staging_since_)));
}

// The failure itself is reported elsewhere.
void ProgressReporter::on_failure(const launcher::Failure& /*failure*/) {
  no_longer_connecting();
}

void ProgressReporter::on_ready(std::uint32_t node, const launcher::protocol::Ready& ready) {
  const std::string reason = ready.mpi_reason.empty() ? "--mpi off" : ready.mpi_reason;
  tell(node, (ready.mpi   ? "set up, with servers for MPI (PMIx and PMI)"
              : ready.pmi ? "set up, with a server for MPICH (PMI), without one for Open MPI: " + reason
                          : "set up, without a server for MPI: " + reason));
}

void ProgressReporter::on_started(const launcher::protocol::Started& started) {
  ++started_;
  show_starting();
  tell(launcher::describe_rank(plan_, started.rank) + " started, pid " + std::to_string(started.pid) +
       (started.cpus.empty() ? "" : ", on CPUs " + started.cpus));
}

void ProgressReporter::on_output(std::uint32_t /*rank*/, launcher::protocol::Stream /*stream*/,
                                 std::string_view /*bytes*/) {
  if (!std::exchange(has_output_, true)) line_.clear();
}

void ProgressReporter::on_exited(std::uint32_t rank, const launcher::RankRecord& record) {
  tell(launcher::describe_rank(plan_, rank) + " ended after " + base::describe(running_time(record)) + ": " +
       how_it_ended(record));
}

void ProgressReporter::on_stopping(const launcher::protocol::Stop& stop) {
  no_longer_connecting();
  tell("stopping the job: " + (stop.now
                                   ? "KILL to every process"
                                   : "TERM to every process, KILL after " + base::describe(options_.grace)));
}

void ProgressReporter::on_forwarded(int signal) {
  tell("SIG" + base::signal_name(signal) + " passed on to every rank");
}

void ProgressReporter::on_examined(const launcher::ExaminedRank& examined) {
  constexpr int most_lines = 40;
  const bool hangs = examined.why == launcher::ExaminedRank::Why::job_hangs;
  if (!examined.foremost) return;
  const auto level = hangs ? base::Level::error : base::Level::warning;
  options_.log->write(
      level, "", "rank " + std::to_string(examined.rank) + (hangs ? ", as it hangs:" : ", as it stands:"));
  std::istringstream lines(examined.text);
  std::string line;
  for (int i = 0; i < most_lines && std::getline(lines, line); ++i)
    options_.log->write(level, "", "    " + line);
}

void ProgressReporter::on_notice(const std::string& text) {
  line_.clear();
  options_.log->warning(text);
}

void ProgressReporter::tell(std::uint32_t node, const std::string& line) {
  options_.log->write(base::Level::info, name_of(node), line);
}

}  // namespace adarun::cli
