// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>

#include "base/file_descriptor.h"

namespace adarun::cli {

/// Writes our stdout and stderr in background threads, so that a slow or stopped reader never blocks the
/// caller. If both go to the same file or terminal, their order is kept. Use it from one thread.
class BackgroundOutput {
 public:
  /// `out_fd`: the descriptor that out() writes to; stderr's if stdout is used for something else.
  explicit BackgroundOutput(int out_fd = 1);
  BackgroundOutput(const BackgroundOutput&) = delete;
  BackgroundOutput& operator=(const BackgroundOutput&) = delete;
  /// Does not wait: output not written by then is lost. Call drain() before.
  ~BackgroundOutput();

  /// Streams that go to stdout and stderr. They have no descriptor, and buffer until flushed.
  std::FILE* out() const { return out_.get(); }
  std::FILE* err() const { return err_.get(); }

  /// The real stream that out() writes to: stdout or stderr.
  std::FILE* own_out() const;

  /// Whether the readers keep up; while false, wait before writing much more. Far beyond that limit output is
  /// dropped, so that memory stays bounded. Terminals always have room: see waiting_bytes().
  bool has_room() const;

  /// For out() or err(): whether it is a terminal, and the number of bytes not yet written. Callers that
  /// write to a terminal should leave output out when that number grows.
  bool is_terminal(std::FILE* stream) const;
  std::size_t waiting_bytes(std::FILE* stream) const;

  /// Flushes out() or err(), then waits until all of it is written, as long as `continues` (called often)
  /// returns true. Returns false if `continues` ended the wait.
  bool drain(std::FILE* stream, const std::function<bool()>& continues);

  /// Whether writing to stdout failed: disk full, reader gone.
  bool out_failed() const;
  /// Whether output was not written because the reader was too slow.
  bool has_dropped() const;

 private:
  class Queue;
  struct Target;

  base::CFile stream_to(Target& target);
  const Target& target_of(std::FILE* stream) const { return stream == out() ? *out_target_ : *err_target_; }

  // Shared with the writing threads, which may be blocked in a write and outlive this object. Both point to
  // one queue if stdout and stderr go to the same place.
  std::shared_ptr<Queue> out_queue_;
  std::shared_ptr<Queue> err_queue_;
  std::unique_ptr<Target> out_target_;
  std::unique_ptr<Target> err_target_;
  base::CFile out_;
  base::CFile err_;
};

}  // namespace adarun::cli
