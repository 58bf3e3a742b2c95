// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <vector>

#include "trainer/reducers/kinds.h"

namespace adarun::trainer {

std::unique_ptr<Reducer> make_reducer(const ReduceContext& context, Weights& weights,
                                      const BucketOptions& buckets, std::size_t first) {
  TensorSpan gradients = weights.gradients_from(first);
  if (context.split != nullptr) return reducers::split(context, gradients);
  std::vector<std::int64_t> rows;
  if (context.reduction.per == AdasumPer::row) gradients.counts = rows = weights.row_counts(first);
  switch (context.reduction.reduce) {
    case Reduce::adasum:
      assert(buckets.bucket_bytes == 0 || first == 0);
      if (buckets.bucket_bytes > 0) return reducers::bucketed_adasum(context, weights, buckets);
      return reducers::adasum(context, gradients);
    case Reduce::mean:
      return reducers::mean(context, gradients);
    case Reduce::sum:
      return reducers::sum(context, gradients);
    case Reduce::none:
      break;
  }
  return reducers::none(context, gradients);
}

}  // namespace adarun::trainer
