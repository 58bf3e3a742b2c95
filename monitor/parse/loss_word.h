// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::monitor {

/// What a word means in a line that reports losses.
enum class LossWord {
  other,
  epoch,
  step,
  global_step,
  steps,            ///< A step only in DeepSpeed's lines.
  steps_of_run,     ///< How many steps the run has.
  writer,           ///< Of JAX, which puts the step in brackets.
  loss,             ///< Of what the words before say.
  loss_in_step,     ///< A loss where the line has a step; elsewhere a part of one.
  policy_loss,      ///< The same, always of the training, if the line has no other.
  training_loss,    ///< Always of the training.
  validation_loss,  ///< Always of a validation.
  training,
  validation,
  average  ///< The next loss is an average over what was printed before.
};

/// Ignores case.
LossWord loss_word(std::string_view word);

}  // namespace adarun::monitor
