// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/base/log_lines.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {

/// Prints the model and data, the method and the seed, in three lines.
void print_setting(const TrainerOptions& options, const Reduction& reduction,
                   const adasum::Communicator& communicator, const Print& print);

/// Prints the notes of the data sets, once for all ranks, a line each whatever is in names of files.
void print_notes(std::initializer_list<const Dataset*> parts, const adasum::Communicator& communicator,
                 const Print& print);

/// What the boost dictionary changes in this training, for its users; where a switch has no effect, that.
std::vector<std::string> boost_lines(const Model& model, const TrainerOptions& options,
                                     const Reduction& reduction);

}  // namespace adarun::trainer
