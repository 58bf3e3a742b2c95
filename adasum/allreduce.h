// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "adasum/types/number.h"

namespace adasum {

/// Plan(engine, tensors).run() for tensors that are consecutive in `data`, `counts[t]` elements each; the
/// counts add up to data.size(). For a single call: to repeat it, make a Plan. Collective.
///
/// Throws adasum::Error if the counts do not add up or differ between ranks, or if a rank has ended; in the
/// last case `data` is undefined.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Engine& engine);

/// The same with an engine for this call only.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts,
                             Communicator& communicator, const Options& options = {});

}  // namespace adasum
