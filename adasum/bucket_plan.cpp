// SPDX-License-Identifier: Apache-2.0
#include "adasum/bucket_plan.h"

#include <algorithm>
#include <exception>
#include <string>

#include "adasum/algorithms/allreduce_op.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/plan.h"
#include "adasum/types/error.h"
#include "adasum/types/layout.h"

namespace adasum {

template <typename T>
struct BucketPlan<T>::Bucket {
  Bucket(Engine& home, const std::vector<std::span<T>>& tensors)
      : engine(home, home.options()),
        request(algorithms::make_allreduce(engine.topology(), algorithms::Tensors<T>(tensors),
                                           algorithms::Results::held_back)),
        size(tensors.size()) {}

  Engine engine;
  Request request;
  std::size_t size;
  std::size_t ready = 0;
};

namespace {

// Of each tensor in bytes, over all its parts: every rank divides the tensors into the same buckets.
template <typename T>
std::vector<double> whole_sizes(Engine& engine, const std::vector<std::span<T>>& tensors) {
  std::vector<double> sizes;
  sizes.reserve(tensors.size());
  for (const std::span<T> tensor : tensors) sizes.push_back(static_cast<double>(tensor.size_bytes()));
  if (Communicator* parts = engine.topology().parts()) OrderedReduce(*parts).sum(sizes);
  return sizes;
}

}  // namespace

template <typename T>
BucketPlan<T>::BucketPlan(Engine& engine, const std::vector<std::span<T>>& tensors, std::size_t bucket_bytes)
    : bucket_of_(tensors.size()),
      ready_(tensors.size()),
      participants_(static_cast<std::size_t>(engine.topology().participants())) {
  Fingerprint fingerprint;
  fingerprint.add(fingerprint_of(algorithms::Tensors<T>(tensors)));
  fingerprint.add(bucket_bytes);
  Fingerprint of_parts;
  of_parts.add(tensors.size());
  of_parts.add(bucket_bytes);
  engine.topology().agree(fingerprint.value(), false, of_parts.value());
  const std::vector<double> sizes = whole_sizes(engine, tensors);
  std::size_t end = tensors.size();
  double size_bytes = 0;
  for (std::size_t begin = tensors.size(); begin-- > 0;) {
    size_bytes += sizes[begin];
    if (size_bytes < static_cast<double>(bucket_bytes) && begin > 0) continue;
    add_bucket(engine, tensors, begin, end);
    end = begin;
    size_bytes = 0;
  }
}

template <typename T>
BucketPlan<T>::~BucketPlan() {
  const bool active =
      std::ranges::any_of(buckets_, [](const auto& bucket) { return bucket->request.started(); });
  if (!active) return;
  try {
    for (const auto& bucket : buckets_) {
      if (!bucket->request.started()) bucket->request.start();
    }
  } catch (const std::exception&) {  // a rank has ended, so the other buckets fail too
  }
}

template <typename T>
void BucketPlan<T>::add_bucket(Engine& engine, const std::vector<std::span<T>>& tensors, std::size_t begin,
                               std::size_t end) {
  for (std::size_t tensor = begin; tensor < end; ++tensor) bucket_of_[tensor] = buckets_.size();
  const std::vector<std::span<T>> own(tensors.begin() + static_cast<std::ptrdiff_t>(begin),
                                      tensors.begin() + static_cast<std::ptrdiff_t>(end));
  buckets_.push_back(std::make_unique<Bucket>(engine, own));
}

template <typename T>
void BucketPlan<T>::ready(std::size_t tensor) {
  if (ready_.at(tensor))
    throw Error("tensor " + std::to_string(tensor) + ": ready a second time before wait()");
  ready_[tensor] = true;
  Bucket& bucket = *buckets_[bucket_of_[tensor]];
  if (++bucket.ready == bucket.size) bucket.request.start();
  progress();
}

template <typename T>
bool BucketPlan<T>::progress() {
  bool done = true;
  for (const auto& bucket : buckets_) {
    if (!bucket->request.started() || !bucket->request.progress()) done = false;
  }
  return done;
}

// All ranks wait for their buckets in the same order, so every bucket completes.
template <typename T>
std::optional<int> BucketPlan<T>::wait() {
  std::optional<int> lowest;
  for (const auto& bucket : buckets_) {
    const auto rank = bucket->request.wait();
    if (rank && (!lowest || *rank < *lowest)) lowest = rank;
    bucket->ready = 0;
  }
  std::fill(ready_.begin(), ready_.end(), false);
  if (lowest) return lowest;
  for (const auto& bucket : buckets_) bucket->request.op().commit();
  return std::nullopt;
}

template <typename T>
std::vector<TensorDiagnostics> BucketPlan<T>::diagnostics() const {
  std::vector<TensorDiagnostics> all;
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    const auto some = diagnostics_of((*bucket)->request.op().dots(), participants_);
    all.insert(all.end(), some.begin(), some.end());
  }
  if (all.size() != bucket_of_.size()) all.clear();
  return all;
}

template class BucketPlan<float>;
template class BucketPlan<double>;
template class BucketPlan<Float16>;
template class BucketPlan<BFloat16>;

}  // namespace adasum
