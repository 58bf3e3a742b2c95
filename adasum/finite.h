// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// The lowest rank whose `data` holds NaN or an infinity, the same answer on every rank; nothing where all
/// data is finite. Asked before an allreduce, which would spread them, so that all ranks can skip a step
/// together, and say whose data it was.
///
/// Sizes may differ. One pass over `data` and one all-gather of a byte. Collective over `communicator`;
/// throws adasum::Error where a rank is gone. T is float or double.
template <typename T>
std::optional<int> first_not_finite(std::span<const T> data, Communicator& communicator);

extern template std::optional<int> first_not_finite<float>(std::span<const float>, Communicator&);
extern template std::optional<int> first_not_finite<double>(std::span<const double>, Communicator&);

}  // namespace adasum
