// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace adarun::monitor {

/// The middle value, between the two middle ones of an even number; 0 of none.
double median(std::vector<double> values);

/// How far values lie from their median: the median distance, scaled so that of normal values it is their
/// standard deviation (1.4826 times). A few values of any size do not move it.
double spread(const std::vector<double>& values);

}  // namespace adarun::monitor
