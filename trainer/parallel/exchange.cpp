// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/exchange.h"

#include <cassert>
#include <numeric>
#include <span>
#include <vector>

#include "trainer/planner/model/strategy.h"
#include "trainer/planner/model/transfers.h"

namespace adarun::trainer {
namespace {

using planner::IndexRange;
using planner::TensorBlock;

std::span<std::byte> bytes_of(const torch::Tensor& x) {
  return {static_cast<std::byte*>(x.data_ptr()), static_cast<std::size_t>(x.nbytes())};
}

/// The block `of` of the whole tensor in values (samples, channels, n), which are block `held` of it.
torch::Tensor part(const torch::Tensor& values, const TensorBlock& held, const TensorBlock& of) {
  return values.narrow(0, of.samples.begin - held.samples.begin, of.samples.size())
      .narrow(1, of.channels.begin - held.channels.begin, of.channels.size());
}

/// Messages to and from all ranks of a group, sent at once.
class Messages {
 public:
  explicit Messages(adasum::Communicator& group)
      : group_(group),
        out_(static_cast<std::size_t>(group.size())),
        in_(static_cast<std::size_t>(group.size())) {}

  void send(std::int64_t peer, const torch::Tensor& values) {
    kept_.push_back(values.contiguous());
    out_[static_cast<std::size_t>(peer)] = bytes_of(kept_.back());
  }

  /// `values` must be contiguous.
  void receive(std::int64_t peer, const torch::Tensor& values) {
    assert(values.is_contiguous());
    in_[static_cast<std::size_t>(peer)] = bytes_of(values);
  }

  void exchange() { group_.exchange_all(out_, in_); }

 private:
  adasum::Communicator& group_;
  std::vector<torch::Tensor> kept_;
  std::vector<std::span<const std::byte>> out_;
  std::vector<std::span<std::byte>> in_;
};

/// The shape of values of `block` that are like x.
std::vector<std::int64_t> shape_like(const torch::Tensor& x, const TensorBlock& of_x,
                                     const TensorBlock& block) {
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] = block.samples.size();
  if (shape.size() > 1) shape[1] = shape[1] / of_x.channels.size() * block.channels.size();
  return shape;
}

}  // namespace

std::int64_t LayoutChange::ranks() const {
  return from == to ? 1 : std::lcm(from.parts, to.parts);
}

torch::Tensor change_layout(const torch::Tensor& x, const LayoutChange& change, std::int64_t rank,
                            adasum::Communicator& group) {
  const planner::Extent extent{x.size(0) * change.from.replicas, change.channels};
  assert(extent.samples % change.to.replicas == 0);
  const std::int64_t first = rank / group.size() * group.size();
  const TensorBlock held = planner::held(change.from, extent, rank);
  const TensorBlock wanted = planner::held(change.to, extent, rank);
  const std::int64_t each = x.numel() / (held.samples.size() * held.channels.size());
  const torch::Tensor before = x.contiguous().view({held.samples.size(), held.channels.size(), each});
  const auto room = [&](const TensorBlock& of) {
    return torch::empty({of.samples.size(), of.channels.size(), each}, before.options());
  };
  const torch::Tensor after = room(wanted);

  Messages messages(group);
  for (const auto& [peer, block] : planner::outgoing(change.from, change.to, extent, rank)) {
    if (peer != rank) messages.send(peer - first, part(before, held, block));
  }
  std::vector<std::pair<TensorBlock, torch::Tensor>> received;
  for (const auto& [peer, block] : planner::incoming(change.from, change.to, extent, rank)) {
    if (peer == rank) {
      part(after, wanted, block).copy_(part(before, held, block));
      continue;
    }
    received.emplace_back(block, room(block));
    messages.receive(peer - first, received.back().second);
  }
  messages.exchange();
  for (const auto& [block, values] : received) part(after, wanted, block).copy_(values);
  return after.view(shape_like(x, held, wanted));
}

torch::Tensor sum_over_ranks(const torch::Tensor& x, adasum::Communicator& group) {
  const std::int64_t ranks = group.size();
  const torch::Tensor mine = x.contiguous().view(-1);
  const auto range = [&](std::int64_t rank) { return planner::part_of(mine.numel(), ranks, rank); };
  const auto slice = [&](const torch::Tensor& of, std::int64_t rank) {
    return of.narrow(0, range(rank).begin, range(rank).size());
  };
  const IndexRange own = range(group.rank());
  const torch::Tensor parts = torch::empty({ranks, own.size()}, mine.options());
  Messages to_owners(group);
  for (std::int64_t peer = 0; peer < ranks; ++peer) {
    if (peer == group.rank()) continue;
    to_owners.send(peer, slice(mine, peer));
    to_owners.receive(peer, parts[peer]);
  }
  to_owners.exchange();
  parts[group.rank()].copy_(slice(mine, group.rank()));
  torch::Tensor sum = torch::zeros({own.size()}, mine.options().dtype(torch::kDouble));
  for (std::int64_t peer = 0; peer < ranks; ++peer) sum += parts[peer];

  torch::Tensor whole = torch::empty_like(mine);
  slice(whole, group.rank()).copy_(sum);
  Messages to_all(group);
  for (std::int64_t peer = 0; peer < ranks; ++peer) {
    if (peer == group.rank()) continue;
    to_all.send(peer, slice(whole, group.rank()));
    to_all.receive(peer, slice(whole, peer));
  }
  to_all.exchange();
  return whole.view(x.sizes());
}

}  // namespace adarun::trainer
