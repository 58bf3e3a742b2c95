// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "launcher/job/job.h"

namespace adarun::launcher {

/// The messages of a kind that a job has sent since its messages were last taken; those of other kinds are
/// lost.
template <typename Kind>
std::vector<Kind> sent_by(Job& job) {
  std::vector<Kind> found;
  for (const Outgoing& out : job.take_outgoing())
    if (const auto* message = std::get_if<Kind>(&out.message)) found.push_back(*message);
  return found;
}

}  // namespace adarun::launcher
