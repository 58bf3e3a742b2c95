// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace adasum::kernels {

/// Copies `from` to `to`, of the same size, by non-temporal stores: for more than the caches hold. A plain
/// copy reads the lines that it is about to overwrite, this one does not. Ordered with later stores as any
/// other copy is (it ends with a store fence).
void stream(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace adasum::kernels
