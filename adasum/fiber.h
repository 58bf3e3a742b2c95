// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace adasum {

/// A call that is left where it would have to wait, and gone on with later, on a stack of its own: so what is written
/// as though it blocked can be under way beside other work of the same thread. No thread is made, and nothing moves
/// unless resume() or finish() is called. One thread.
class Fiber {
 public:
  Fiber() = default;

  /// Unwinds a body that has not ended.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// A body to be run by resume() or finish(); the one before has ended. Throws adasum::Error where there is no memory
  /// for a stack.
  void start(std::function<void()> body);

  bool ended() const { return ended_; }

  /// Goes on with the body until it ends, or would wait. Throws what it throws.
  void resume() { run(Waits::leave); }

  /// Goes on with the body to its end; its waits block from now on. Throws what it throws.
  void finish() { run(Waits::block); }

  /// Whether the caller is in a fiber's body.
  static bool inside();

  /// To be called in a loop that waits: leaves the body until it is resumed. False, at once, where the wait is to block:
  /// outside of fibers, and in finish().
  static bool pause();

 private:
  enum class Waits { leave, block };

  /// What sanitizers want to know of a change of stacks.
  struct Traces {
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
  Traces traces_;
  std::function<void()> body_;
  std::exception_ptr error_;
  Waits waits_ = Waits::leave;
  bool ended_ = true;
  bool unwinding_ = false;
};

}  // namespace adasum
