// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/kinds.h"

namespace adarun::trainer {

std::unique_ptr<Reducer> make_reducer(const ReduceContext& context, Weights& weights,
                                      const BucketOptions& buckets) {
  switch (context.reduction.reduce) {
    case Reduce::adasum:
      if (buckets.bucket_bytes > 0) return reducers::bucketed_adasum(context, weights, buckets);
      return reducers::adasum(context, weights);
    case Reduce::mean:
      return reducers::mean(context, weights);
    case Reduce::sum:
      return reducers::sum(context, weights);
    case Reduce::none:
      break;
  }
  return reducers::none(context, weights);
}

}  // namespace adarun::trainer
