// SPDX-License-Identifier: Apache-2.0
#include "trainer/combiner.h"

#include <array>
#include <cassert>

#include "adasum/finite.h"
#include "adasum/layout.h"
#include "adasum/mean.h"

namespace adarun::trainer {

Combiner::Combiner(adasum::Peers& peers, Reduce reduce, int group_size) : peers_(peers), reduce_(reduce) {
  if (reduce == Reduce::adasum)
    engine_ = std::make_unique<adasum::Engine>(peers, adasum::Options{group_size});
}

void Combiner::combine(std::span<float> data, std::span<const std::int64_t> counts) {
  switch (reduce_) {
    case Reduce::adasum:
      if (!gradients_) gradients_.emplace(*engine_, adasum::tensors_of(data, counts));
      gradients_->run();
      return;
    case Reduce::mean:
      return adasum::mean(data, peers_);
    case Reduce::sum:
      return peers_.sum(data);
    case Reduce::none:
      return;
  }
}

void Combiner::begin_delta(std::span<float> weights, std::span<const std::int64_t> counts) {
  assert(engine_);
  if (!weights_) weights_.emplace(*engine_, adasum::tensors_of(weights, counts));
  weights_->begin_step();
}

std::optional<int> Combiner::end_delta() { return weights_->end_step(); }

std::optional<int> Combiner::first_not_finite(std::span<const float> data) {
  return adasum::first_not_finite(data, peers_);
}

void Combiner::wait_for_all() {
  std::array<double, 1> nothing = {};
  peers_.sum(std::span<double>(nothing));
}

}  // namespace adarun::trainer
