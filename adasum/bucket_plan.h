// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "adasum/types/number.h"

namespace adasum {

/// A Plan whose tensors become ready one by one, as gradients do during the backward pass. They are combined
/// bucket by bucket: early buckets while later gradients are still being computed.
///
///   adasum::BucketPlan<float> plan(engine, gradients);
///   ... plan.ready(t) when gradient t is computed, in any order ...
///   if (const auto rank = plan.wait()) { /* rank *rank has NaN: nothing has changed */ }
///
/// Each bucket has its own communicators, so ranks need not agree on an order: a bucket makes progress once
/// all ranks have started it. There is no background thread: work is done only in calls of ready(),
/// progress() and wait(), and only the calling thread calls MPI.
///
/// As with Plan, NaN or an infinity anywhere leaves all tensors unchanged. Dot products are computed and
/// messages exchanged while buckets become ready, but results are held back until wait() has checked all
/// buckets. In shared memory this costs nothing, because tensors in place are written last anyway; by
/// messages it costs a copy of all tensors.
///
/// T is float, double, Float16 or BFloat16. One thread.
template <typename T>
class BucketPlan {
 public:
  static constexpr std::size_t usual_bucket_bytes = std::size_t{25} << 20;

  /// As for Plan. Buckets of `bucket_bytes` or more are made from the last tensor to the first, in the order
  /// of a backward pass. The same on every rank. Each bucket uses some MPI communicators.
  BucketPlan(Engine& engine, const std::vector<std::span<T>>& tensors,
             std::size_t bucket_bytes = usual_bucket_bytes);

  /// If buckets are active: as ~Plan, for all of them.
  ~BucketPlan();
  BucketPlan(const BucketPlan&) = delete;
  BucketPlan& operator=(const BucketPlan&) = delete;

  std::size_t buckets() const { return buckets_.size(); }

  /// Declares that tensor number `tensor` of the list has its values; it must not be touched before wait().
  /// The last tensor of a bucket starts that bucket; active buckets make progress. Throws adasum::Error if
  /// the tensor is ready already.
  void ready(std::size_t tensor);

  /// Does what needs no waiting for another rank. True when wait() only has to write the results.
  bool progress();

  /// Marks all tensors ready, completes all buckets, and returns what Plan::run() returns. The next round may
  /// then begin. Collective.
  std::optional<int> wait();

  /// As for Plan, for each tensor of the list; empty if some bucket has none.
  std::vector<TensorDiagnostics> diagnostics() const;

 private:
  struct Bucket;

  void add_bucket(Engine& engine, const std::vector<std::span<T>>& tensors, std::size_t begin,
                  std::size_t end);

  std::vector<std::unique_ptr<Bucket>> buckets_;  // in the order in which they are made
  std::vector<std::size_t> bucket_of_;            // for each tensor
  std::vector<bool> ready_;                       // for each tensor
  std::size_t participants_;
};

extern template class BucketPlan<float>;
extern template class BucketPlan<double>;
extern template class BucketPlan<Float16>;
extern template class BucketPlan<BFloat16>;

}  // namespace adasum
