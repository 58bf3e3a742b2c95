// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// An allreduce of a few numbers, such as partial dot products, over the ranks that hold different parts of
/// the same vectors. Implementations: by messages (MessageReduce, OrderedReduce), in shared memory of a node
/// (adasum/shared_memory/node.h).
///
/// Calls are collective over these ranks; the results are bit-equal on all of them. Throws adasum::Error if a
/// rank has ended.
class ScalarReduce {
 public:
  virtual ~ScalarReduce() = default;

  /// Sum over the ranks, in place.
  virtual void sum(std::span<double> values) = 0;

  /// Maximum over the ranks, in place. Values must not be NaN.
  virtual void max(std::span<double> values) = 0;
};

/// For a rank that holds all parts of its vectors: its own values are the result.
class LocalReduce : public ScalarReduce {
 public:
  void sum(std::span<double>) override {}
  void max(std::span<double>) override {}
};

/// ScalarReduce over all ranks of a communicator, by its messages. Borrows `communicator`.
class MessageReduce : public ScalarReduce {
 public:
  explicit MessageReduce(Communicator& communicator) : communicator_(communicator) {}

  void sum(std::span<double> values) override { communicator_.sum(values); }

  void max(std::span<double> values) override {
    std::vector<double> all(values.size() * static_cast<std::size_t>(communicator_.size()));
    communicator_.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      double& most = values[i % values.size()];
      most = std::max(most, all[i]);
    }
  }

 private:
  Communicator& communicator_;
};

/// ScalarReduce that gathers the values of all ranks and reduces them in rank order: communicators of equal
/// size whose ranks have equal values get equal bits, wherever their ranks run. MPI promises that only within
/// one communicator. Borrows `communicator`.
class OrderedReduce : public ScalarReduce {
 public:
  explicit OrderedReduce(Communicator& communicator) : communicator_(communicator) {}

  void sum(std::span<double> values) override {
    reduce(values, [](double a, double b) { return a + b; });
  }
  void max(std::span<double> values) override {
    reduce(values, [](double a, double b) { return std::max(a, b); });
  }

 private:
  template <typename Two>
  void reduce(std::span<double> values, const Two& two) {
    std::vector<double> all(values.size() * static_cast<std::size_t>(communicator_.size()));
    communicator_.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    std::copy_n(all.begin(), values.size(), values.begin());
    for (std::size_t i = values.size(); i < all.size(); ++i) {
      double& value = values[i % values.size()];
      value = two(value, all[i]);
    }
  }

  Communicator& communicator_;
};

}  // namespace adasum
