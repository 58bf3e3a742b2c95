// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/communicators/fiber.h"

namespace adasum {

/// A nonblocking run of an AllreduceOp, alongside other work of this thread, like an MPI request. One at a
/// time on the communicators of an engine. One thread.
///
/// States:
///   idle     --start()-->               active
///   active   --combine() returns-->     complete  (in start(), progress() or wait())
///   active or complete  --wait()-->     idle      (wait() on an idle one starts it first)
class Request {
 public:
  explicit Request(std::unique_ptr<algorithms::AllreduceOp> op) : op_(std::move(op)) {}

  /// If active, completes combine(), as the other ranks that destroy theirs do. So no message is left that
  /// another plan could receive, and MPI no longer writes to its memory. Gives up after `drain_timeout`;
  /// MpiRequests then ends the program if MPI still uses memory.
  ~Request() { drain(); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Runs combine() as far as possible without waiting for another rank.
  void start() {
    fiber_.start([this] { not_finite_ = op_->combine(); });
    started_ = true;
    progress();
  }

  bool started() const { return started_; }

  /// Continues combine() as far as possible without waiting. True when combine() has returned. Throws what it
  /// throws.
  bool progress() {
    fiber_.resume();
    return fiber_.ended();
  }

  /// Waits for combine() and returns its result.
  std::optional<int> wait() {
    if (!started_) start();
    started_ = false;
    fiber_.finish();
    return not_finite_;
  }

  algorithms::AllreduceOp& op() const { return *op_; }

 private:
  static constexpr std::chrono::seconds drain_timeout{10};

  void drain() noexcept {
    const auto deadline = std::chrono::steady_clock::now() + drain_timeout;
    try {
      while (started_ && !fiber_.ended() && std::chrono::steady_clock::now() < deadline) {
        fiber_.resume();
        std::this_thread::yield();
      }
    } catch (const std::exception&) {  // the request has ended; a destructor reports nothing
    }
  }

  std::unique_ptr<algorithms::AllreduceOp> op_;
  std::optional<int> not_finite_;
  bool started_ = false;
  Fiber fiber_;  // last: destroyed first, while the objects that its body uses still exist
};

}  // namespace adasum
