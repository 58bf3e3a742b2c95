// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/ranks/memory_watch.h"
#include "launcher/agent/ranks/output_batcher.h"
#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// One rank from its fork until its last byte was passed on. Passive: the agent calls it when descriptors are
/// readable and when its process was reaped; it answers with messages for the launcher.
class RankProcess {
 public:
  /// What one read takes at most, so that ranks take turns.
  static constexpr std::size_t read_bytes = 64U << 10U;

  /// How long output is waited for after the process ended, where a process it left holds its terminal open.
  static constexpr std::chrono::milliseconds linger{250};

  /// `cpus`: what it is bound to, for people to read.
  RankProcess(std::uint32_t number, Program program, Child child, MemoryWatch memory, std::string cpus)
      : number_(number),
        program_(std::move(program)),
        child_(std::move(child)),
        memory_(std::move(memory)),
        cpus_(std::move(cpus)),
        batcher_(number) {}

  std::uint32_t number() const { return number_; }
  pid_t pid() const { return child_.pid; }

  /// The process has not been reaped: its pid and process group are its own.
  bool alive() const { return !exited_; }

  /// Where to wait for bytes; -1: nothing (more) comes there. Output counts once the program runs.
  int report_fd() const { return child_.report.get(); }
  int output_fd(protocol::Stream stream) const;

  /// Reads how the start went: Started, Failed, or nothing yet.
  std::optional<protocol::Message> read_report();

  /// Reads what one turn allows; false where there is nothing now.
  bool read_output(protocol::Stream stream, Clock::time_point now);

  /// What was read, in frames that are due, and when the next one is.
  std::optional<protocol::Output> take_output(Clock::time_point now) { return batcher_.take(now); }
  std::optional<Clock::time_point> output_due() const { return batcher_.due(); }

  /// The process was reaped with `status` (as waitpid gives it).
  void reaped(int status, bool stopped_by_us, Clock::time_point now);

  /// When output is no longer waited for, though its terminal or pipe is still open.
  std::optional<Clock::time_point> output_deadline() const;

  /// No more output is read.
  void close_output();

  /// Exited, once, when the process has ended and all of its output was taken. None for one that Failed.
  std::optional<protocol::Exited> finish();

  /// Nothing is to be expected of it any more.
  bool over() const { return over_; }

 private:
  std::uint32_t number_;
  Program program_;
  Child child_;
  MemoryWatch memory_;
  std::string cpus_;
  std::optional<protocol::Exited> exited_;
  Clock::time_point reaped_at_;
  OutputBatcher batcher_;
  bool failed_ = false;
  bool over_ = false;
};

}  // namespace adarun::launcher::agent
