// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
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

/// Puts `mine` of every rank, in rank order, into `all` of rank 0; `all` of the others is not used. As many
/// values on each rank. Collective.
void gather_to_first(std::span<const float> mine, std::span<float> all, adasum::Communicator& communicator);

/// The other way: `mine` becomes each rank's part of `all` of rank 0. Collective.
void scatter_from_first(std::span<const float> all, std::span<float> mine,
                        adasum::Communicator& communicator);

}  // namespace adarun::trainer
