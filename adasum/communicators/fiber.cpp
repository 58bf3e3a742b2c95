// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/fiber.h"

#include <sys/mman.h>

#include <cassert>
#include <utility>

#include "adasum/types/error.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace adasum {
namespace {

constexpr std::size_t guard_bytes = 4096;                  // a page without access, below the stack
constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // pages are allocated on first use

thread_local Fiber* current = nullptr;

// Thrown by pause() to unwind a body.
struct Unwound {};

}  // namespace

Fiber::~Fiber() {
  if (!ended_) {
    unwinding_ = true;
    switch_in();
  }
#if defined(__SANITIZE_THREAD__)
  if (sanitizer_.fiber != nullptr) __tsan_destroy_fiber(sanitizer_.fiber);
#endif
  if (stack_ != nullptr) ::munmap(stack_, guard_bytes + stack_bytes);
}

void Fiber::make_stack() {
  void* memory = ::mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw Error("no memory for a stack");
  stack_ = static_cast<std::byte*>(memory);
  ::mprotect(stack_, guard_bytes, PROT_NONE);
}

void Fiber::start(std::function<void()> body) {
  assert(ended_);
  if (stack_ == nullptr) make_stack();
  body_ = std::move(body);
  error_ = nullptr;
  ended_ = false;
  ::getcontext(&own_);
  own_.uc_stack.ss_sp = stack_ + guard_bytes;
  own_.uc_stack.ss_size = stack_bytes;
  own_.uc_link = nullptr;  // enter() never returns
  ::makecontext(&own_, &Fiber::enter, 0);
#if defined(__SANITIZE_THREAD__)
  if (sanitizer_.fiber == nullptr) sanitizer_.fiber = __tsan_create_fiber(0);
#endif
}

void Fiber::enter() {
  Fiber& self = *current;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self.sanitizer_.caller_stack, &self.sanitizer_.caller_size);
#endif
  try {
    if (!self.unwinding_) self.body_();
  } catch (const Unwound&) {
  } catch (...) {
    self.error_ = std::current_exception();
  }
  self.ended_ = true;
  self.switch_out();
}

void Fiber::run() {
  if (ended_) return;
  switch_in();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Fiber::switch_in() {
  Fiber* const outer = std::exchange(current, this);
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_ + guard_bytes, stack_bytes);
#elif defined(__SANITIZE_THREAD__)
  sanitizer_.caller = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer_.fiber, 0);
#endif
  ::swapcontext(&caller_, &own_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  current = outer;
}

void Fiber::switch_out() {
#if defined(__SANITIZE_ADDRESS__)
  // A null pointer says that this stack will not be used again.
  __sanitizer_start_switch_fiber(ended_ ? nullptr : &sanitizer_.fake_stack, sanitizer_.caller_stack,
                                 sanitizer_.caller_size);
#elif defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(sanitizer_.caller, 0);
#endif
  ::swapcontext(&own_, &caller_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(sanitizer_.fake_stack, &sanitizer_.caller_stack, &sanitizer_.caller_size);
#endif
}

bool Fiber::inside() {
  return current != nullptr;
}

bool Fiber::pause() {
  if (current == nullptr || current->waits_block_) return false;
  Fiber& self = *current;
  self.switch_out();
  if (self.unwinding_) throw Unwound();
  return true;
}

}  // namespace adasum
