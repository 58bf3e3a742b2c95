// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/communicators/communicator.h"
#include "adasum/communicators/fiber.h"
#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "adasum/types/number.h"

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

/// A list of tensors prepared for AdaSum, which can be combined any number of times: runs allocate nothing
/// and need no agreement between ranks. T is float, double, Float16 or BFloat16.
template <typename T>
class Plan {
 public:
  /// Collective over the engine's world. The tensors may be anywhere in memory and have any number of
  /// elements, also 0; they, and `engine`, must outlive the plan. Throws adasum::Error on every rank if the
  /// ranks' lists differ in number or sizes.
  Plan(Engine& engine, std::vector<std::span<T>> tensors);

  /// Combines the tensors of all ranks by AdaSum, each tensor by itself, in place, with the same bits on
  /// every rank. If a rank has NaN or an infinity, returns that rank (the lowest) on all ranks and leaves the
  /// tensors unchanged. A result that is too large for T is an infinity or NaN. Collective. Throws
  /// adasum::Error if a rank has ended.
  ///
  /// Formula and tree: Maleki et al., "Scaling Distributed Training with Adaptive Summation", arXiv
  /// 2006.02924:
  ///   Adasum(a, b) = (1 - a.b / (2|a|^2)) a + (1 - a.b / (2|b|^2)) b,  over a balanced tree of neighbours.
  /// Departure: a vector with |a|^2 = 0 contributes nothing, and the other vector is the result. All dot
  /// products and combinations are computed in double; each combination is rounded once.
  std::optional<int> run();

  /// A nonblocking run(), alongside other work of this thread: start() begins it and does what needs no
  /// waiting for other ranks, progress() does more of that, wait() completes it and returns what run()
  /// returns. Between them the tensors must not be touched, and no other plan of this engine may run or
  /// start: plans that are active at the same time need separate engines (Engine's second constructor). All
  /// ranks make the same choice; none may call run() instead.
  ///
  /// Work is done only in these calls: there is no background thread, and only this thread calls MPI. If a
  /// plan is destroyed while active, those of all ranks must be; it first completes its messages, and its
  /// tensors may then hold anything. If the other ranks do not destroy theirs within ten seconds, and MPI
  /// still uses its memory, the program ends (std::abort).
  void start() { request_->start(); }
  bool progress() { return request_->progress(); }  ///< True when wait() only has to write the result.
  std::optional<int> wait();

  /// Measurements of each tensor in the last run, the same on every rank, if Options::diagnostics is set.
  /// They come from the dot products that shared (on one node) and gram compute anyway, for up to 16
  /// participants. Empty for other algorithms (select Algorithm::gram then), in a world of one, and after a
  /// run that found NaN or an infinity.
  std::vector<TensorDiagnostics> diagnostics() const {
    return diagnostics_of(request_->op().dots(), participants_);
  }

 private:
  std::unique_ptr<Request> request_;
  std::size_t participants_;
};

extern template class Plan<float>;
extern template class Plan<double>;
extern template class Plan<Float16>;
extern template class Plan<BFloat16>;

/// Plan(engine, tensors).run() for tensors that are consecutive in `data`, `counts[t]` elements each; the
/// counts add up to data.size(). For a single call: to repeat it, make a Plan. Collective.
///
/// Throws adasum::Error if the counts do not add up or differ between ranks, or if a rank has ended; in the
/// last case `data` is undefined.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Engine& engine);

/// The same with an engine for this call only.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts,
                             Communicator& communicator, const Options& options = {});

}  // namespace adasum
