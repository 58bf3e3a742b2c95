// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "trainer/models/weights.h"
#include "trainer/reducers/reduce_context.h"
#include "trainer/reducers/reducer.h"

/// One function per reducer. They are described at make_reducer().
namespace adarun::trainer::reducers {

std::unique_ptr<Reducer> none(const ReduceContext& context, const TensorSpan& gradients);
std::unique_ptr<Reducer> sum(const ReduceContext& context, const TensorSpan& gradients);
std::unique_ptr<Reducer> mean(const ReduceContext& context, const TensorSpan& gradients);
std::unique_ptr<Reducer> adasum(const ReduceContext& context, const TensorSpan& gradients);
std::unique_ptr<Reducer> split(const ReduceContext& context, const TensorSpan& gradients);
std::unique_ptr<Reducer> bucketed_adasum(const ReduceContext& context, Weights& weights,
                                         const BucketOptions& options);

}  // namespace adarun::trainer::reducers
