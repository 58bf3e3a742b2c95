// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "adasum/peers.h"

namespace adasum {

/// The lowest rank that says false, the same answer on every rank. Collective over `peers`.
std::optional<int> first_without(bool has, Peers& peers);

/// The lowest rank whose `data` holds NaN or an infinity, the same answer on every rank; nothing where all
/// data is finite. Asked before an allreduce, which would spread them, so that all ranks can leave a step out
/// together, and say whose it was.
///
/// Sizes may differ. One pass over `data` and one all-gather of a byte. Collective over `peers`; throws
/// adasum::Error where a peer is gone. T is float or double.
template <typename T>
std::optional<int> first_not_finite(std::span<const T> data, Peers& peers);

extern template std::optional<int> first_not_finite<float>(std::span<const float>, Peers&);
extern template std::optional<int> first_not_finite<double>(std::span<const double>, Peers&);

}  // namespace adasum
