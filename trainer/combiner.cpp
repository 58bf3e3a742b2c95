// SPDX-License-Identifier: Apache-2.0
#include "trainer/combiner.h"

#include <array>
#include <cassert>

#include "adasum/finite.h"
#include "adasum/mean.h"
#include "adasum/variants.h"

namespace adarun::trainer {

Combiner::Combiner(adasum::Peers& peers, Reduce reduce, int group_size) : peers_(peers), reduce_(reduce) {
  if (reduce == Reduce::adasum)
    engine_ = std::make_unique<adasum::Engine>(peers, adasum::Options{group_size});
}

void Combiner::combine(std::span<float> data, std::span<const std::int64_t> counts) {
  switch (reduce_) {
    case Reduce::adasum:
      return engine_->allreduce(data, counts);
    case Reduce::mean:
      return adasum::mean(data, peers_);
    case Reduce::sum:
      return peers_.sum(data);
    case Reduce::none:
      return;
  }
}

void Combiner::combine_delta(std::span<const float> before, std::span<float> weights,
                             std::span<const std::int64_t> counts) {
  assert(engine_);
  adasum::combine_delta(before, weights, counts, *engine_);
}

std::optional<int> Combiner::first_not_finite(std::span<const float> data) {
  return adasum::first_not_finite(data, peers_);
}

void Combiner::wait_for_all() {
  std::array<double, 1> nothing = {};
  peers_.sum(std::span<double>(nothing));
}

}  // namespace adarun::trainer
