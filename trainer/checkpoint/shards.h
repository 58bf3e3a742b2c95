// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/checkpoint/file.h"

namespace adarun::trainer {

/// Reads a checkpoint in which each rank has a shard of the optimizer's state, for another number of ranks.
/// `files`: one of each rank that wrote it, in their order; every rank here must find them. Each holds the
/// weights, which all have; statistics of its data; and its shards: one of each whole tensor, whose shards
/// follow one another in the order of the ranks.
///
/// `values`: the weights; room for the statistics of all ranks that wrote, one after the other; and the
/// shards of this rank, of whatever sizes.
///
/// Returns, on every rank, what is damaged, and then `values` are undefined; empty: nothing. Rank 0's
/// `contents` are of the first file. Collective: each rank reads some of the files and sends them to all
/// others. Throws as read_checkpoint() does.
std::string read_shards(const std::vector<std::filesystem::path>& files, const RunIdentity& identity,
                        const std::vector<std::span<float>>& values, adasum::Communicator& communicator,
                        CheckpointHeader& contents);

}  // namespace adarun::trainer
