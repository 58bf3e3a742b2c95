// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <span>
#include <vector>

#include "adasum/engine.h"
#include "adasum/plan.h"

namespace adasum::c {

/// The plans of an engine for lists of tensors that come again, so that a caller who passes several lists in
/// turn (PyTorch's buckets) pays for each of them once, or, where these are too many or too large, for a few
/// of them each time: a new plan takes the place of the one that was made last, or of one that has not been
/// used for long. Which plans it holds is the same on all ranks. One thread.
template <typename T>
class PlanCache {
 public:
  /// The plan for `tensors`, made if any rank has no plan for its list. Collective.
  Plan<T>& plan_for(Engine& engine, const std::vector<std::span<T>>& tensors) {
    ++calls_;
    const std::uint64_t number = number_of(tensors);
    if (!engine.topology().all_pass(number) || number == 0) return make(engine, tensors);
    CachedPlan& known = *std::ranges::find(known_, number, &CachedPlan::number);
    known.used = calls_;
    return known.plan;
  }

  /// Collective, because plans are made together.
  void clear() { known_.clear(); }

 private:
  static constexpr std::size_t most_plans = 32;
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of their tensors; a plan may hold a copy
  static constexpr std::uint64_t long_ago = 256;                   // calls

  struct CachedPlan {
    CachedPlan(Engine& engine, std::uint64_t its_number, std::uint64_t now,
               const std::vector<std::span<T>>& its_tensors)
        : number(its_number), used(now), tensors(its_tensors), plan(engine, its_tensors) {}

    std::uint64_t number;
    std::uint64_t used;  // in which call, the last time
    std::vector<std::span<T>> tensors;
    Plan<T> plan;
  };

  // 0: none. The plans are numbered as they are made.
  std::uint64_t number_of(const std::vector<std::span<T>>& tensors) const {
    const auto same_place = [](std::span<T> a, std::span<T> b) {
      return a.data() == b.data() && a.size() == b.size();
    };
    std::uint64_t newest = 0;
    for (const CachedPlan& known : known_) {
      if (std::ranges::equal(tensors, known.tensors, same_place)) newest = std::max(newest, known.number);
    }
    return newest;
  }

  // Parts of tensors have other sizes on other ranks, which would not drop the same plans: only one is kept.
  Plan<T>& make(Engine& engine, const std::vector<std::span<T>>& tensors) {
    const std::size_t most = engine.topology().parts() != nullptr ? 1 : most_plans;
    std::size_t bytes = bytes_of(tensors);
    for (const CachedPlan& known : known_) bytes += bytes_of(known.tensors);
    while (!known_.empty() && (known_.size() >= most || bytes > most_bytes)) {
      const auto next = next_to_go();
      bytes -= bytes_of(next->tensors);
      known_.erase(next);
    }
    known_.emplace_back(engine, ++made_, calls_, tensors);
    return known_.back().plan;
  }

  // Of lists that come in turn, the one that was used the longest time ago is the next to be used.
  typename std::list<CachedPlan>::iterator next_to_go() {
    const auto oldest = std::ranges::min_element(known_, {}, &CachedPlan::used);
    return calls_ - oldest->used > long_ago ? oldest : std::prev(known_.end());
  }

  static std::size_t bytes_of(const std::vector<std::span<T>>& tensors) {
    std::size_t bytes = 0;
    for (const std::span<T>& tensor : tensors) bytes += tensor.size_bytes();
    return bytes;
  }

  std::list<CachedPlan> known_;  // in the order in which they were made
  std::uint64_t made_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace adasum::c
