// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adasum/allreduce.h"

namespace adasum {

/// The delta-weight variant (arXiv 2006.02924, section 4): every rank steps its optimizer by its own
/// gradient, and what is combined is how far each has gone. With momentum or Adam this differs from the
/// gradient variant, which is Engine::allreduce on the gradients before the optimizer steps.
///
/// `before` are the weights before the local step, the same on every rank; `weights` those after it, and on
/// return before - Adasum(before - weights), bit-equal on every rank. Sizes, counts and errors are those of
/// Engine::allreduce; adasum::Error too where `before` and `weights` differ in size. Collective.
template <typename T>
void combine_delta(std::span<const T> before, std::span<T> weights, std::span<const std::int64_t> counts,
                   Engine& engine);

extern template void combine_delta<float>(std::span<const float>, std::span<float>,
                                          std::span<const std::int64_t>, Engine&);
extern template void combine_delta<double>(std::span<const double>, std::span<double>,
                                           std::span<const std::int64_t>, Engine&);

}  // namespace adasum
