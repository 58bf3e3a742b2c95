// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adasum/communicators/communicator.h"
#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// What a data set is known by, a line: its size and a checksum of its labels and names of files.
std::string identity_of(const Dataset& dataset, DatasetPart part);

/// Refuses a data set that is not of the same size on all ranks, or has other labels or names of files, as
/// where the nodes have different files: shards would overlap, and ranks would wait for steps that others do
/// not take. `part`: which one `dataset` is, for the message. Collective. Throws Error (refused)
/// with the same message on every rank.
void check_same_data(const Dataset& dataset, DatasetPart part, adasum::Communicator& communicator);

}  // namespace adarun::trainer
