// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace adasum::kernels {

/// Copies `from` to `to`, of the same size, past the caches: for more than they hold. A plain copy reads what it is
/// about to overwrite, this one does not. Seen by other threads and processes as any other copy.
void stream(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace adasum::kernels
