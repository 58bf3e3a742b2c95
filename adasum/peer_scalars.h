// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "adasum/peers.h"
#include "adasum/scalars.h"

namespace adasum {

/// Numbers put together by messages. Borrows `peers`.
class PeerScalars : public Scalars {
 public:
  explicit PeerScalars(Peers& peers) : peers_(peers) {}

  void sum(std::span<double> values) override { peers_.sum(values); }

  void max(std::span<double> values) override {
    std::vector<double> all(values.size() * static_cast<std::size_t>(peers_.size()));
    peers_.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      double& most = values[i % values.size()];
      most = std::max(most, all[i]);
    }
  }

 private:
  Peers& peers_;
};

}  // namespace adasum
