// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "adasum/number.h"

namespace adasum {

/// A Plan whose tensors become ready one after the other, as gradients do while the backward pass goes through the
/// layers: they are combined bucket by bucket, early ones while later ones are still computed.
///
///   adasum::BucketPlan<float> plan(engine, gradients);
///   ... plan.ready(t) as soon as gradient t is there, in whatever order ...
///   if (const auto rank = plan.wait()) { /* rank *rank has NaN: nothing has changed */ }
///
/// Each bucket has ways of its own, so ranks need not agree on an order: a bucket goes on when all of them have got to
/// it. There is no thread behind it; what is under way goes on in calls of ready(), progress() and wait() alone, and MPI
/// is called by their thread alone.
///
/// As with Plan, NaN or an infinity anywhere leaves all tensors what they were: dot products are taken, and messages
/// exchanged, while buckets come in; results are kept back until wait() knows of all buckets. In shared memory that
/// costs nothing, as tensors in place are written last anyway; by messages it is a copy of all tensors.
///
/// T is float, double, Float16 or BFloat16. One thread.
template <typename T>
class BucketPlan {
 public:
  static constexpr std::size_t usual_bucket_bytes = std::size_t{25} << 20;

  /// As Plan's. Buckets are made from the last tensor to the first, as a backward pass comes to them, of `bucket_bytes`
  /// or more. The same on every rank. Each costs MPI some communicators.
  BucketPlan(Engine& engine, const std::vector<std::span<T>>& tensors, std::size_t bucket_bytes = usual_bucket_bytes);

  /// Before wait(), where all ranks have begun some bucket: as ~Plan, for all buckets.
  ~BucketPlan();
  BucketPlan(const BucketPlan&) = delete;
  BucketPlan& operator=(const BucketPlan&) = delete;

  std::size_t buckets() const { return buckets_.size(); }

  /// Tensor number `tensor` of the list has its values, which are not to be touched before wait(). The last one of its
  /// bucket starts that; buckets under way go on. Throws adasum::Error where it is ready already.
  void ready(std::size_t tensor);

  /// Goes on as far as it goes without waiting for another rank. True when wait() has no more to wait for but the writing.
  bool progress();

  /// Takes all tensors for ready, and returns what Plan::run() returns: then the next round may begin. Collective.
  std::optional<int> wait();

  /// As Plan's, of each tensor of the list; nothing where some bucket has none.
  std::vector<TensorDiagnostics> diagnostics() const;

 private:
  struct Bucket;

  void add_bucket(Engine& engine, const std::vector<std::span<T>>& tensors, std::size_t begin, std::size_t end);

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
