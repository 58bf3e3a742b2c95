// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "adasum/communicators/communicator.h"
#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// Prints the model and data, the method and the seed, in three lines.
void print_setting(const TrainerOptions& options, const Reduction& reduction,
                   const adasum::Communicator& communicator, const Print& print);

}  // namespace adarun::trainer
