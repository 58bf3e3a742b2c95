// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/communicators/scalar_reduce.h"

namespace adasum {

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

}  // namespace adasum
