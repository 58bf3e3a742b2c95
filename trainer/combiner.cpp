// SPDX-License-Identifier: Apache-2.0
#include "trainer/combiner.h"

#include <array>

#include "adasum/finite.h"
#include "adasum/layout.h"
#include "adasum/mean.h"

namespace adarun::trainer {

Combiner::Combiner(adasum::Peers& peers, Reduce reduce, int group_size) : peers_(peers), reduce_(reduce) {
  if (reduce == Reduce::adasum)
    engine_ = std::make_unique<adasum::Engine>(peers, adasum::Options{group_size});
}

std::optional<int> Combiner::combine(std::span<float> data, std::span<const std::int64_t> counts) {
  if (reduce_ == Reduce::adasum) {
    if (!gradients_) gradients_.emplace(*engine_, adasum::tensors_of(data, counts));
    return gradients_->run();
  }
  if (const auto rank = adasum::first_not_finite(std::span<const float>(data), peers_)) return rank;
  if (reduce_ == Reduce::mean) adasum::mean(data, peers_);
  if (reduce_ == Reduce::sum) peers_.sum(data);
  return std::nullopt;
}

void Combiner::wait_for_all() {
  std::array<double, 1> nothing = {};
  peers_.sum(std::span<double>(nothing));
}

}  // namespace adarun::trainer
