// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace adasum {

/// Calls visit(offset, length) for consecutive pieces of [0, size), each at most `limit` long, because MPI
/// counts in int. An empty message is one piece of length 0.
template <typename Visit>
void for_each_chunk(std::size_t size, std::size_t limit, const Visit& visit) {
  std::size_t offset = 0;
  do {
    const std::size_t length = std::min(limit, size - offset);
    visit(offset, static_cast<int>(length));
    offset += length;
  } while (offset < size);
}

}  // namespace adasum
