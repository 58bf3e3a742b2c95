// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// What the boost dictionary changes in this training, for its users; where a switch has no effect, that.
std::vector<std::string> boost_lines(const Model& model, const TrainerOptions& options,
                                     const Reduction& reduction);

}  // namespace adarun::trainer
