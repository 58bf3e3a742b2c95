// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include "adasum/algorithms/course.h"
#include "adasum/fiber.h"

namespace adasum {

/// A course that is under way beside other work of this thread. One at a time on the ways of an engine.
class Flight {
 public:
  explicit Flight(std::unique_ptr<algorithms::Course> course) : course_(std::move(course)) {}

  /// Where it is under way, ends what it has begun, as the other ranks do that let go of theirs; so no message is left
  /// for another plan, nor memory that MPI still writes to. What another rank does not come to within `patience` is
  /// left as it is, which is for Pending to refuse.
  ~Flight() { settle(); }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// Runs combine() as far as it goes without waiting for another rank.
  void start() {
    fiber_.start([this] { not_finite_ = course_->combine(); });
    started_ = true;
    progress();
  }

  bool started() const { return started_; }

  /// Goes on as far as it goes without waiting. True when combine() has returned. Throws what it throws.
  bool progress() {
    fiber_.resume();
    return fiber_.ended();
  }

  /// Waits for what combine() returns, and gives it.
  std::optional<int> wait() {
    if (!started_) start();
    started_ = false;
    fiber_.finish();
    return not_finite_;
  }

  algorithms::Course& course() const { return *course_; }

 private:
  static constexpr std::chrono::seconds patience{10};

  void settle() noexcept {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    try {
      while (started_ && !fiber_.ended() && std::chrono::steady_clock::now() < deadline) {
        fiber_.resume();
        std::this_thread::yield();
      }
    } catch (const std::exception&) {  // it has ended, and nobody is to be told
    }
  }

  std::unique_ptr<algorithms::Course> course_;
  std::optional<int> not_finite_;
  bool started_ = false;
  Fiber fiber_;  // last: it goes first, while what its body uses is there
};

}  // namespace adasum
