// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// Mean over the ranks, in place, bit-equal on every rank: Communicator::sum divided by the world's size. The
/// baseline for AdaSum. Collective over `communicator`. T is float or double.
template <typename T>
void mean(std::span<T> data, Communicator& communicator) {
  communicator.sum(data);
  for (T& value : data) value /= static_cast<T>(communicator.size());
}

}  // namespace adasum
