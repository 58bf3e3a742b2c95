// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/kernels/arrays.h"

namespace adasum {

/// The lowest rank whose `data` holds NaN or an infinity, the same on every rank; nothing if all data is
/// finite. Call it before an allreduce, which would spread them to all ranks: all ranks can then skip a step
/// together and report the rank.
///
/// Sizes may differ. One pass over `data` and one all-gather of a byte. Collective over `communicator`;
/// throws adasum::Error if a rank has ended. T is float or double.
template <typename T>
std::optional<int> first_not_finite(std::span<const T> data, Communicator& communicator) {
  return first_without(kernels::is_finite(data), communicator);
}

}  // namespace adasum
