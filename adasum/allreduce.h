// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "adasum/engine.h"
#include "adasum/number.h"
#include "adasum/peers.h"

namespace adasum {

/// Plan(engine, tensors).run() for tensors that lie one after the other in `data`, `counts[t]` elements each; their
/// sum is data.size(). For one call: what is done again and again wants a Plan. Collective.
///
/// Throws adasum::Error where the counts do not add up or differ between ranks, or a peer is gone; `data` is then
/// undefined in the last case.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Engine& engine);

/// The same with an engine for this call alone.
template <typename T>
std::optional<int> allreduce(std::span<T> data, std::span<const std::int64_t> counts, Peers& peers,
                             const Options& options = {});

}  // namespace adasum
