// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "monitor/series/run.h"

namespace adarun::monitor {

/// Brings `merged` up to date with the series of all ranks from bucket `from` on (a bucket is a position
/// divided by `stride`); what lies before stays.
void merge_from(std::uint64_t from, std::uint64_t stride, const std::map<std::uint32_t, Rank>& ranks,
                std::vector<MergedPoint>& merged);

}  // namespace adarun::monitor
