// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "monitor/detect/finding.h"

namespace adarun::monitor {

/// A smaller difference of losses means nothing: 1 % of the loss at the beginning, or of that of the whole
/// run where it is higher. A loss that has fallen to where few of its printed digits are left differs from
/// one line to the next by more than any multiple of its spread, which may be 0.
double least_difference(const Run& run);

// Each function appends its findings to `found`. Rules for single ranks:
void find_not_finite(const Run& run, std::vector<RunFinding>& found);
void find_bad_gradient(const Run& run, std::vector<RunFinding>& found);
void find_stopped(const Run& run, std::vector<RunFinding>& found);
void find_stragglers(const Run& run, std::vector<RunFinding>& found);
void find_divergence(const Run& run, std::vector<RunFinding>& found);
void find_same_data(const Run& run, std::vector<RunFinding>& found);

// Rules for the whole run:
void find_spikes(const Run& run, std::vector<RunFinding>& found);
void find_rise(const Run& run, std::vector<RunFinding>& found);
void find_plateau(const Run& run, std::vector<RunFinding>& found);

}  // namespace adarun::monitor
