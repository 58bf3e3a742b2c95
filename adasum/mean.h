// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/peers.h"

namespace adasum {

/// Mean over the ranks, in place, bit-equal on every rank: Peers::sum divided by the world's size. What
/// AdaSum is compared with. Collective over `peers`.
template <typename T>
void mean(std::span<T> data, Peers& peers);

extern template void mean<float>(std::span<float>, Peers&);
extern template void mean<double>(std::span<double>, Peers&);

}  // namespace adasum
