// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <utility>
#include <vector>

#include "adasum/engine.h"
#include "adasum/plan.h"

namespace adasum::c {

/// The plans of an engine for the lists of tensors of its last calls, so that a caller who passes several
/// lists in turn (PyTorch's buckets) pays for each of them once. Which plans it holds is the same on all
/// ranks. One thread.
template <typename T>
class PlanCache {
 public:
  /// The plan for `tensors`, made if any rank has no plan for its list. Collective.
  Plan<T>& plan_for(Engine& engine, const std::vector<std::span<T>>& tensors) {
    const std::uint64_t number = number_of(tensors);
    if (!engine.topology().all_pass(number) || number == 0) return make(engine, tensors);
    const auto known = std::ranges::find(known_, number, &Known::number);
    known_.splice(known_.begin(), known_, known);
    return known->plan;
  }

  /// Collective, because plans are made together.
  void clear() { known_.clear(); }

 private:
  static constexpr std::size_t most_plans = 32;
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;  // of their tensors; a plan may hold a copy

  struct Known {
    Known(Engine& engine, std::uint64_t its_number, const std::vector<std::span<T>>& its_tensors)
        : number(its_number), tensors(its_tensors), plan(engine, its_tensors) {}

    std::uint64_t number;
    std::vector<std::span<T>> tensors;
    Plan<T> plan;
  };

  // 0: none. The plans are numbered as they are made.
  std::uint64_t number_of(const std::vector<std::span<T>>& tensors) const {
    const auto same_place = [](std::span<T> a, std::span<T> b) {
      return a.data() == b.data() && a.size() == b.size();
    };
    std::uint64_t newest = 0;
    for (const Known& known : known_) {
      if (std::ranges::equal(tensors, known.tensors, same_place)) newest = std::max(newest, known.number);
    }
    return newest;
  }

  // Parts of tensors have other sizes on other ranks, which would not drop the same plans: only one is kept.
  Plan<T>& make(Engine& engine, const std::vector<std::span<T>>& tensors) {
    const std::size_t most = engine.topology().parts() != nullptr ? 1 : most_plans;
    std::size_t bytes = bytes_of(tensors);
    for (const Known& known : known_) bytes += bytes_of(known.tensors);
    while (!known_.empty() && (known_.size() >= most || bytes > most_bytes)) {
      bytes -= bytes_of(known_.back().tensors);
      known_.pop_back();
    }
    known_.emplace_front(engine, ++made_, tensors);
    return known_.front().plan;
  }

  static std::size_t bytes_of(const std::vector<std::span<T>>& tensors) {
    std::size_t bytes = 0;
    for (const std::span<T>& tensor : tensors) bytes += tensor.size_bytes();
    return bytes;
  }

  std::list<Known> known_;  // the last used first
  std::uint64_t made_ = 0;
};

}  // namespace adasum::c
