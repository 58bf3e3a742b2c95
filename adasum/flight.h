// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "adasum/algorithms/course.h"
#include "adasum/fiber.h"

namespace adasum {

/// A course that is under way beside other work of this thread. One at a time on the ways of an engine.
class Flight {
 public:
  explicit Flight(std::unique_ptr<algorithms::Course> course) : course_(std::move(course)) {}

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
  std::unique_ptr<algorithms::Course> course_;
  std::optional<int> not_finite_;
  bool started_ = false;
  Fiber fiber_;  // last: it goes first, while what its body uses is there
};

}  // namespace adasum
