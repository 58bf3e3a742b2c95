// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace adasum {

/// A stackful coroutine: a call that is suspended where it would have to wait, and resumed later, on a stack
/// of its own. So code that is written as though it blocked can make progress beside other work of the same
/// thread. No thread is made, and nothing runs unless resume() or finish() is called. One thread.
///
/// States:
///   ended     --start()-->            suspended
///   suspended --resume()/finish()-->  running
///   running   --pause()-->            suspended   (only in resume())
///   running   --body returns/throws-> ended
class Fiber {
 public:
  Fiber() = default;

  /// Unwinds the body where it has not ended: an exception is thrown out of its pause().
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets the body that resume() or finish() run; the one before has ended. Throws adasum::Error where there
  /// is no memory for a stack.
  void start(std::function<void()> body);

  bool ended() const { return ended_; }

  /// Runs the body until it ends or would wait. Throws what it throws.
  void resume() { run(Waits::suspend); }

  /// Runs the body to its end; its waits block from now on. Throws what it throws.
  void finish() { run(Waits::block); }

  /// Whether the caller runs in a fiber's body.
  static bool inside();

  /// To be called in a loop that waits: suspends the body until it is resumed, then gives true. Gives false
  /// at once where the wait is to block: outside of fibers, and in finish().
  static bool pause();

 private:
  enum class Waits { suspend, block };

  /// What sanitizers are told of a change of stacks.
  struct SanitizerState {
    void* fiber = nullptr;
    void* caller = nullptr;
    void* fake_stack = nullptr;
    const void* caller_stack = nullptr;
    std::size_t caller_size = 0;
  };

  static void enter();
  void make_stack();
  void run(Waits waits);
  void switch_in();
  void switch_out();

  std::byte* stack_ = nullptr;
  ucontext_t caller_ = {};
  ucontext_t own_ = {};
  SanitizerState sanitizer_;
  std::function<void()> body_;
  std::exception_ptr error_;
  Waits waits_ = Waits::suspend;
  bool ended_ = true;
  bool unwinding_ = false;
};

}  // namespace adasum
