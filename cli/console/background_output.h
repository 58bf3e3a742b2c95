// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>

#include "base/c_file.h"

namespace adarun::cli {

/// Our stdout and stderr, written in the background: who writes here is never held up by a reader that does
/// not read. Where both lead to the same place, they keep their order. Used from one thread.
class BackgroundOutput {
 public:
  /// `out_fd`: where out() ends; stderr's for who keeps stdout for something else.
  explicit BackgroundOutput(int out_fd = 1);
  BackgroundOutput(const BackgroundOutput&) = delete;
  BackgroundOutput& operator=(const BackgroundOutput&) = delete;
  /// Does not wait: what nobody has read by then is lost. Call drain() before.
  ~BackgroundOutput();

  /// Streams that end where our own do. They have no descriptor, and buffer until they are flushed.
  std::FILE* out() const { return out_.get(); }
  std::FILE* err() const { return err_.get(); }

  /// The stream of ours that out() ends at: stdout, or stderr.
  std::FILE* own_out() const;

  /// Whether the readers keep up: while false, wait before writing much more. What is written far beyond that
  /// is dropped, so that memory stays bounded. Terminals always have room: see waiting_bytes().
  bool has_room() const;

  /// Of one of the two: whether it is a terminal, and what nobody has read of it yet. Who writes to a
  /// terminal leaves things out where that grows.
  bool is_terminal(std::FILE* stream) const;
  std::size_t waiting_bytes(std::FILE* stream) const;

  /// Flushes one of the two, then waits until all of it is written, for as long as `goes_on` (asked often) is
  /// true; false where it was not.
  bool drain(std::FILE* stream, const std::function<bool()>& goes_on);

  struct Losses {
    std::size_t dropped_bytes = 0;  ///< Not written since the reader was too far behind.
    bool out_failed = false;        ///< stdout could not be written: a full disk, a reader that left.
  };
  Losses losses() const;

 private:
  class Queue;
  struct Target;

  base::CFile stream_to(Target& target);
  const Target& target_of(std::FILE* stream) const { return stream == out() ? *out_target_ : *err_target_; }

  // Each is its thread's as well, which may outlive us, held up in a write. One where both lead to one place.
  std::shared_ptr<Queue> out_queue_;
  std::shared_ptr<Queue> err_queue_;
  std::unique_ptr<Target> out_target_;
  std::unique_ptr<Target> err_target_;
  base::CFile out_;
  base::CFile err_;
};

}  // namespace adarun::cli
