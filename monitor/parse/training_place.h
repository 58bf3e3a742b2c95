// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/parse/counted.h"
#include "monitor/parse/loss_line.h"
#include "monitor/parse/loss_word.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {

/// The epoch and the step of a line, as far as it has been read.
struct TrainingPlace {
  LossLine line;  ///< Its loss is not set.
  LossPlaces texts;
  bool refused = false;  ///< Something was read or not because of its digits.

  bool is_known() const { return line.epoch || line.step; }
};

/// Reads what follows a word for an epoch or a step, if the line has not told it before; moves past it.
/// Nothing for other words.
void take_place(LossWord word, Scan& scan, TrainingPlace& place);

void put_step(const Counted& step, TrainingPlace& place);

}  // namespace adarun::monitor
