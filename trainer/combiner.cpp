// SPDX-License-Identifier: Apache-2.0
#include "trainer/combiner.h"

#include <cassert>

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

}  // namespace adarun::trainer
