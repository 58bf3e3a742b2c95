// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ranktable/operations/merge.h"

namespace adarun::ranktable {

/// The servers of all tables in the given order; for Order::rank, devices are also sorted by rank.
std::vector<Server> ordered_servers(std::span<const MergeInput> inputs, Order order);

/// Whether `left` comes before `right` in Order::numeric.
bool numeric_less(std::string_view left, std::string_view right);

}  // namespace adarun::ranktable
