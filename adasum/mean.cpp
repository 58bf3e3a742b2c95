// SPDX-License-Identifier: Apache-2.0
#include "adasum/mean.h"

namespace adasum {

template <typename T>
void mean(std::span<T> data, Peers& peers) {
  peers.sum(data);
  for (T& value : data) value /= static_cast<T>(peers.size());
}

template void mean<float>(std::span<float>, Peers&);
template void mean<double>(std::span<double>, Peers&);

}  // namespace adasum
