// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/ranks/cgroup.h"
#include "launcher/agent/ranks/rank_streams.h"
#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// A process that left a core.
struct CrashedProcess {
  pid_t pid = 0;
  int signal = 0;
  std::string program;  ///< As it was executed: a path, or a name looked up in PATH.
  std::string workdir;  ///< Where it was started; absolute.
  std::string hostname;
};

/// Where the kernel puts the core of `dead` according to core_pattern and core_uses_pid (core(5)): a path, in
/// which '*' stands for unknown parts, or "given to PROGRAM" if the pattern pipes it. Pure.
std::string core_file(const std::string& pattern, bool uses_pid, const CrashedProcess& dead);

/// One rank, from its fork until its last output was passed on. Passive: the agent calls it when descriptors
/// are readable and when its process was reaped; it returns messages for the launcher.
class RankProcess {
 public:
  /// The most that one read takes, so that ranks take turns.
  static constexpr std::size_t read_bytes = 64U << 10U;

  /// How long to wait for more output after the process ended if a process that it left holds its terminal
  /// open.
  static constexpr std::chrono::milliseconds linger{250};

  /// What is known of it before its fork.
  struct Start {
    std::uint32_t number = 0;
    Program program;
    std::string cpus;         ///< The CPUs it is bound to, as text.
    std::size_t readers = 0;  ///< How many ranks of the node have input.
    bool again = false;  ///< It has run before: if its program cannot be executed now, that is its end, and
                         ///< no failure of the node.
  };

  RankProcess(Start start, Child child, MemoryWatch memory)
      : start_(std::move(start)),
        child_(std::move(child)),
        memory_(std::move(memory)),
        batcher_(start_.number) {
    if (child_.in) input_ = RankInput(start_.number, std::move(child_.in), start_.readers);
  }

  std::uint32_t number() const { return start_.number; }
  const std::string& search_path() const { return start_.program.path; }
  pid_t pid() const { return child_.pid; }

  /// Whether the process has not been reaped, so that its pid and process group are still valid.
  bool alive() const { return !exited_; }

  /// Its output follows so many bytes that the rank has sent before. Call before any is read.
  void continue_output_at(std::uint64_t offset) { batcher_ = OutputBatcher(start_.number, offset); }

  /// How many bytes the rank has sent once all of its output is taken.
  std::uint64_t output_end() const { return batcher_.end(); }

  /// The descriptors to poll; -1: nothing (more) to read. Output is read only once the program runs.
  int report_fd() const { return child_.report.get(); }
  int output_fd(protocol::Stream stream) const;

  /// What it reads from stdin.
  RankInput& input() { return input_; }

  /// Reads the result of the start: Started, Failed, or nothing (yet, or any more).
  std::optional<protocol::Message> read_report(Clock::time_point now);

  /// Does one read; false if nothing was read.
  bool read_output(protocol::Stream stream, Clock::time_point now);

  /// The next frame of output that is due, and when the next one will be.
  std::optional<protocol::Output> take_output(Clock::time_point now) { return batcher_.take(now); }
  std::optional<Clock::time_point> output_due() const { return batcher_.due(); }

  /// If the process is ending now, nothing that is done from now on has stopped it. If its report is still
  /// open, its program is not executed yet, and what is done from now on may have it end before that: then
  /// read_report() decides by what the process has done.
  void note_if_ending();

  /// The process was reaped with `status` (as waitpid gives it).
  void reaped(int status, bool stopped_by_us, Clock::time_point now);

  /// When to stop waiting for output although its terminal or pipe is still open.
  std::optional<Clock::time_point> output_deadline() const;

  /// Stops reading output.
  void close_output();

  /// Exited, once, when the process has ended and all of its output was taken. None after Failed, nor for a
  /// process that we have ended before it could execute its program.
  std::optional<protocol::Exited> finish();

  /// Whether the process has ended with status 0.
  bool ended_well() const { return exited_ && exited_->code == 0 && exited_->signal == 0; }

  /// Whether the process has ended and everything about it was returned.
  bool over() const { return over_; }

 private:
  bool has_run() const;

  Start start_;
  Child child_;
  MemoryWatch memory_;
  std::optional<protocol::Exited> exited_;
  Clock::time_point reaped_at_;
  OutputBatcher batcher_;
  RankInput input_;
  bool was_ending_ = false;
  bool not_executed_ = false;  ///< When that was noted.
  bool ready_ = false;         ///< Its process came as far as to execute the program.
  bool failed_ = false;        ///< Which it could not.
  bool over_ = false;
};

}  // namespace adarun::launcher::agent
