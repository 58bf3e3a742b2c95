// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace adasum::kernels {

/// Copies `from` to `to`, of the same size, with non-temporal stores: for data larger than the caches. A
/// plain copy reads the cache lines that it is about to overwrite; this one does not. Ordered with later
/// stores like any other copy (it ends with a store fence).
void stream(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace adasum::kernels
