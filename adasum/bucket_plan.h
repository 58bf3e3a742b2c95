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

/// A Plan whose tensors become ready one after the other, as gradients do while the backward pass goes
/// through the layers: they are combined bucket by bucket, early ones while later ones are still computed.
///
///   adasum::BucketPlan<float> plan(engine, gradients);
///   ... plan.ready(t) as soon as gradient t is there, in whatever order ...
///   if (const auto rank = plan.wait()) { /* rank *rank has NaN: nothing has changed */ }
///
/// Each bucket has communicators of its own, so ranks need not agree on an order: a bucket makes progress
/// when all of them have started it. There is no thread behind it; work is done in calls of ready(),
/// progress() and wait() only, and MPI is called by their thread alone.
///
/// As with Plan, NaN or an infinity anywhere leaves all tensors what they were: dot products are computed,
/// and messages exchanged, while buckets become ready; results are held back until wait() knows of all
/// buckets. In shared memory that costs nothing, as tensors in place are written last anyway; by messages it
/// is a copy of all tensors.
///
/// T is float, double, Float16 or BFloat16. One thread.
template <typename T>
class BucketPlan {
 public:
  static constexpr std::size_t usual_bucket_bytes = std::size_t{25} << 20;

  /// As Plan's. Buckets are made from the last tensor to the first, as a backward pass comes to them, of
  /// `bucket_bytes` or more. The same on every rank. Each costs MPI some communicators.
  BucketPlan(Engine& engine, const std::vector<std::span<T>>& tensors,
             std::size_t bucket_bytes = usual_bucket_bytes);

  /// Where buckets are active: as ~Plan, for all of them.
  ~BucketPlan();
  BucketPlan(const BucketPlan&) = delete;
  BucketPlan& operator=(const BucketPlan&) = delete;

  std::size_t buckets() const { return buckets_.size(); }

  /// Tensor number `tensor` of the list has its values, and must not be touched before wait(). The last one
  /// of a bucket starts that bucket; active buckets make progress. Throws adasum::Error where it is ready
  /// already.
  void ready(std::size_t tensor);

  /// Does what can be done without waiting for another rank. True when wait() has only to write the results.
  bool progress();

  /// Makes all tensors ready, and returns what Plan::run() returns: then the next round may begin.
  /// Collective.
  std::optional<int> wait();

  /// As Plan's, of each tensor of the list; empty where some bucket has none.
  std::vector<TensorDiagnostics> diagnostics() const;

 private:
  struct Bucket;

  void add_bucket(Engine& engine, const std::vector<std::span<T>>& tensors, std::size_t begin,
                  std::size_t end);

  std::vector<std::unique_ptr<Bucket>> buckets_;  // in the order in which they are made
  std::vector<std::size_t> bucket_of_;            // each tensor
  std::vector<bool> ready_;                       // each tensor
  std::size_t participants_;
};

extern template class BucketPlan<float>;
extern template class BucketPlan<double>;
extern template class BucketPlan<Float16>;
extern template class BucketPlan<BFloat16>;

}  // namespace adasum
