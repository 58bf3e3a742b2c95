// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace adasum {

/// A stackful coroutine: a call that is suspended when it would have to wait, and resumed later, on its own
/// stack. So code that is written in blocking style can make progress alongside other work of the same
/// thread. There is no thread behind it, and nothing runs outside of resume() and finish(). One thread.
///
/// States:
///   ended     --start()-->            suspended
///   suspended --resume()/finish()-->  running
///   running   --pause()-->            suspended   (only in resume())
///   running   --body returns/throws-> ended
class Fiber {
 public:
  Fiber() = default;

  /// Unwinds a body that has not ended: its pause() throws an exception.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets the body that resume() and finish() run; the previous body must have ended. Throws adasum::Error if
  /// there is no memory for a stack.
  void start(std::function<void()> body);

  bool ended() const { return ended_; }

  /// Runs the body until it ends or would wait. Throws what the body throws.
  void resume() {
    waits_block_ = false;
    run();
  }

  /// Runs the body to its end; from now on its waits block. Throws what the body throws.
  void finish() {
    waits_block_ = true;
    run();
  }

  /// Whether the caller runs in the body of a fiber.
  static bool inside();

  /// Call this in a loop that waits. Suspends the body until it is resumed, then returns true. Returns false
  /// at once if the wait is to block: outside of fibers, and in finish().
  static bool pause();

 private:
  /// State for the sanitizers' calls on a change of stacks.
  struct SanitizerState {
    void* fiber = nullptr;
    void* caller = nullptr;
    void* fake_stack = nullptr;
    const void* caller_stack = nullptr;
    std::size_t caller_size = 0;
  };

  static void enter();
  void make_stack();
  void run();
  void switch_in();
  void switch_out();

  std::byte* stack_ = nullptr;
  ucontext_t caller_ = {};
  ucontext_t own_ = {};
  SanitizerState sanitizer_;
  std::function<void()> body_;
  std::exception_ptr error_;
  bool waits_block_ = false;
  bool ended_ = true;
  bool unwinding_ = false;
};

}  // namespace adasum
