// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "adasum/types/number.h"

namespace adasum {

/// Plan(engine, tensors).run() for tensors that lie one after the other in `data`, `counts[t]` elements each;
/// their sum is data.size(). For one call: make a Plan to do it again and again. Collective.
///
/// Throws adasum::Error where the counts do not add up or differ between ranks, or a rank is gone; `data` is
/// then undefined in the last case.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Engine& engine);

/// The same with an engine for this call alone.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts,
                             Communicator& communicator, const Options& options = {});

}  // namespace adasum
