// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "adasum/peers.h"
#include "trainer/callbacks/callback.h"
#include "trainer/options.h"
#include "trainer/rules.h"

namespace adarun::trainer {

/// What is trained, how, and from which seed, in three lines.
void print_setting(const Options& options, const Combination& combination, const adasum::Peers& peers,
                   const Print& print);

}  // namespace adarun::trainer
