// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "adasum/peers.h"
#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// What is trained, how, and from which seed, in three lines.
void print_setting(const Options& options, const Reduction& reduction, const adasum::Peers& peers,
                   const Print& print);

}  // namespace adarun::trainer
