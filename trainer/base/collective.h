// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {

/// Returns once every rank has called it. Collective.
void wait_for_all(adasum::Communicator& communicator);

/// Returns the `text` of rank `rank` on every rank. Collective.
std::string text_of_rank(int rank, const std::string& text, adasum::Communicator& communicator);

/// Returns the `text` of rank 0 on every rank. Collective.
std::string text_of_first_rank(const std::string& text, adasum::Communicator& communicator);

/// Returns, on every rank, the text of the lowest rank whose `text` is not empty; empty if there is none.
/// Collective.
std::string first_text(const std::string& text, adasum::Communicator& communicator);

}  // namespace adarun::trainer
