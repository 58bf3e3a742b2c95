// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/model/transfers.h"

#include <algorithm>

namespace adarun::planner {
namespace {

/// The replicas of `layout` with any of `samples`, of `of` in all.
IndexRange replicas_with(const IndexRange& samples, const ActivationLayout& layout, std::int64_t of) {
  const std::int64_t each = of / layout.replicas;
  return {samples.begin / each, (samples.end + each - 1) / each};
}

/// The rank of a replica from which `reader` takes a part of what all ranks of the replica hold: readers are
/// spread over them, and one that belongs to the replica takes its own.
std::int64_t holder(const ActivationLayout& layout, std::int64_t replica, std::int64_t reader) {
  return replica * layout.parts + reader % layout.parts;
}

/// Calls visit(holder, block) for each block that `reader` takes, by ascending holder.
template <typename Visit>
void for_each_source(const ActivationLayout& from, const Extent& extent, const TensorBlock& wanted,
                     std::int64_t reader, const Visit& visit) {
  const IndexRange replicas = replicas_with(wanted.samples, from, extent.samples);
  for (std::int64_t replica = replicas.begin; replica < replicas.end; ++replica) {
    TensorBlock block{common(part_of(extent.samples, from.replicas, replica), wanted.samples),
                      wanted.channels};
    if (from.channels == Channels::all) {
      if (!block.is_empty()) visit(holder(from, replica, reader), block);
      continue;
    }
    for (std::int64_t part = 0; part < from.parts; ++part) {
      block.channels = common(part_of(extent.channels, from.parts, part), wanted.channels);
      if (!block.is_empty()) visit(replica * from.parts + part, block);
    }
  }
}

}  // namespace

TensorBlock held(const ActivationLayout& layout, const Extent& extent, std::int64_t rank) {
  const IndexRange all{0, extent.channels};
  return {
      part_of(extent.samples, layout.replicas, rank / layout.parts),
      layout.channels == Channels::all ? all : part_of(extent.channels, layout.parts, rank % layout.parts)};
}

void for_each_incoming(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                       std::int64_t rank, const OnTransfer& on_transfer) {
  for_each_source(from, extent, held(to, extent, rank), rank, on_transfer);
}

std::vector<Transfer> incoming(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                               std::int64_t rank) {
  std::vector<Transfer> found;
  for_each_incoming(from, to, extent, rank, [&](std::int64_t source, const TensorBlock& block) {
    found.push_back({source, block});
  });
  return found;
}

std::vector<Transfer> outgoing(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                               std::int64_t rank) {
  std::vector<Transfer> found;
  // The readers of what this rank holds belong to the replicas of `to` that have its samples.
  const IndexRange readers = replicas_with(held(from, extent, rank).samples, to, extent.samples);
  for (std::int64_t reader = readers.begin * to.parts; reader < readers.end * to.parts; ++reader) {
    for_each_source(from, extent, held(to, extent, reader), reader,
                    [&](std::int64_t source, const TensorBlock& block) {
                      if (source == rank) found.push_back({reader, block});
                    });
  }
  return found;
}

}  // namespace adarun::planner
