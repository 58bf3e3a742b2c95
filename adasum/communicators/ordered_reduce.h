// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/communicators/scalar_reduce.h"

namespace adasum {

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
