// SPDX-License-Identifier: Apache-2.0
#include "cli/view/attempt_view.h"

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <utility>

#include "cli/view/end_report.h"

namespace adarun::cli {
namespace {

// How long slow readers of our output are waited for: for `at_most`, and until a signal.
class OutputWait {
 public:
  OutputWait(std::optional<std::chrono::seconds> at_most, const launcher::SignalGuard& signals)
      : signals_(signals), end_(at_most ? Clock::now() + *at_most : Clock::time_point::max()) {}

  // Waits until all that was written to `stream` is read. Returns false if the wait ended before.
  bool drain(BackgroundOutput& output, std::FILE* stream) {
    return output.drain(stream, [this] { return goes_on(); });
  }

  // The signal that ended the wait, or 0.
  int signal() const { return signal_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool goes_on() {
    if (signal_ != 0) return false;
    if (const int signal = signals_.take(); launcher::ends_job(signal)) signal_ = signal;
    return signal_ == 0 && Clock::now() < end_;
  }

  const launcher::SignalGuard& signals_;
  Clock::time_point end_;
  int signal_ = 0;
};

// Writes the result of an attempt to stdout, in pieces of which one waits at a time: of more, some would be
// dropped. Returns false if not all could be written.
bool write_result(std::string_view text, BackgroundOutput& output, OutputWait& wait) {
  constexpr std::size_t piece_bytes = 1U << 20U;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, piece_bytes);
    std::fwrite(piece.data(), 1, piece.size(), output.out());
    if (!wait.drain(output, output.out())) return false;
    text.remove_prefix(piece.size());
  }
  return !output.losses().out_failed;
}

// The log folder at the end of a job, for messages. If no rank has started it was renamed, with adarun.log.
std::string final_log_dir(const LaunchOptions& options, const launcher::Plan& plan,
                          const launcher::LogFolder& logs) {
  if (logs.path() == options.log_folder) return options.log_dir;
  return options.log_dir + "." + plan.job_id;
}

// For who has typed "--hosts localhost:4", as other launchers have it, where no sshd runs.
void hint_at_local(const LaunchOptions& options, const launcher::Plan& plan,
                   const launcher::JobReport& report) {
  if (options.reach->name() != "ssh" || plan.nodes.size() != 1 || report.failures.empty()) return;
  const bool is_unreached = report.failures.front().kind == launcher::Failure::Kind::could_not_start;
  if (is_unreached && plan.nodes.front().host.name == "localhost")
    options.log->error("ranks on this machine need no SSH: -n N without hosts, or --via local");
}

}  // namespace

AttemptView::AttemptView(const launcher::Plan& plan, const LaunchOptions& options, const MakeView& make_view)
    : options_(options),
      output_(options.json ? STDERR_FILENO : STDOUT_FILENO),
      view_(make_view(output_)),
      log_(*options.log, [this](const std::string& line) { view_->say(line); }),
      progress_(plan, options, *view_),
      steps_(plan.world_size()),
      observers_({&progress_, view_.get(), &steps_}) {
  if (options.json) results_.emplace(STDOUT_FILENO);
  view_->begin(plan);
  progress_.begin();
}

void AttemptView::report(const launcher::Plan& plan, const launcher::JobReport& report,
                         const launcher::LogFolder& logs) {
  for (const std::string& line : end_report(plan, report, logs, final_log_dir(options_, plan, logs)))
    options_.log->error(line);
  hint_at_local(options_, plan, report);
  progress_.end(report);
  if (results_) result_ = logs.end_as_json(report);
}

int AttemptView::deliver(std::optional<std::chrono::seconds> at_most, const launcher::SignalGuard& signals) {
  OutputWait wait(at_most, signals);
  const bool has_result = !results_ || write_result(std::exchange(result_, ""), *results_, wait);
  const bool delivered = wait.drain(output_, output_.out()) && has_result;
  const BackgroundOutput::Losses losses = output_.losses();
  if (!told_loss_ && (!delivered || losses.out_failed || losses.dropped_bytes > 0)) {
    told_loss_ = true;
    view_->say("stdout: not all output could be written there; the logs have it");
  }
  wait.drain(output_, output_.err());
  return wait.signal();
}

}  // namespace adarun::cli
