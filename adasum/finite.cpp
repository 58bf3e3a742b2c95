// SPDX-License-Identifier: Apache-2.0
#include "adasum/finite.h"

#include "adasum/kernels/finite.h"

namespace adasum {

template <typename T>
std::optional<int> first_not_finite(std::span<const T> data, Communicator& communicator) {
  return first_without(kernels::is_finite(data), communicator);
}

template std::optional<int> first_not_finite<float>(std::span<const float>, Communicator&);
template std::optional<int> first_not_finite<double>(std::span<const double>, Communicator&);

}  // namespace adasum
