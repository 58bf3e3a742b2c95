// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace adarun::monitor {

/// The median; for an even number of values the mean of the middle two. 0 if there are no values.
double median(std::vector<double> values);

/// The median absolute deviation, times 1.4826, so that for normally distributed values it equals the
/// standard deviation. A few outliers of any size do not change it.
double spread(const std::vector<double>& values);

}  // namespace adarun::monitor
