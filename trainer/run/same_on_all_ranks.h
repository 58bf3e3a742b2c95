// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "adasum/communicators/communicator.h"
#include "trainer/data/datasets/dataset.h"

namespace adarun::trainer {

/// Refuses, on this rank alone, to continue with steps that were taken with other options or another data
/// set. Both: Snapshot::setup. Throws Error (refused).
void check_same_setup(const std::string& mine, const std::string& of_steps);

/// Refuses options that differ from rank to rank, as where the nodes have different files for --config: each
/// rank would take other steps. `mine`: TrainerOptions::same_on_all. Collective. Throws Error (refused) with
/// the same message on every rank.
void check_same_options(const std::string& mine, adasum::Communicator& communicator);

/// What a data set is known by.
struct FoundData {
  std::uint64_t samples = 0;
  std::int64_t classes = 0;
  std::int64_t channels = 0;
  std::uint64_t listed = 0;  ///< Checksum of labels and names of files, in order.

  bool operator==(const FoundData&) const = default;
};

FoundData found_in(const Dataset& dataset);

/// All of it, a line.
std::string line_of(const FoundData& found, DatasetPart part);

/// Refuses a data set that is not of the same size on all ranks, or has other labels or names of files, as
/// where the nodes have different files: shards would overlap, and ranks would wait for steps that others do
/// not take. `part`: which one it is, for the message. Collective. Throws Error (refused)
/// with the same message on every rank.
void check_same_data(const FoundData& mine, DatasetPart part, adasum::Communicator& communicator);

}  // namespace adarun::trainer
