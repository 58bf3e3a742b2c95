// SPDX-License-Identifier: Apache-2.0
#include "adasum/allreduce.h"

#include <bit>
#include <string>

#include "adasum/algorithms/group_mean.h"
#include "adasum/algorithms/tree.h"
#include "adasum/error.h"
#include "adasum/layout.h"

namespace adasum {
namespace {

void refuse_misfits(int world_size, int group_size) {
  const std::string world = "world of " + std::to_string(world_size) + " ranks: ";
  if (group_size < 1 || world_size % group_size != 0) {
    throw Error(world + "group size " + std::to_string(group_size) +
                ": wanted a divisor of the world's size");
  }
  const int groups = world_size / group_size;
  if (!std::has_single_bit(static_cast<unsigned>(groups))) {
    throw Error(world + (group_size == 1 ? "" : std::to_string(groups) + " groups: ") +
                "AdaSum combines a power of two (1, 2, 4, 8, 16, ...)");
  }
}

}  // namespace

Engine::Engine(Peers& world, const Options& options) : across_(&world) {
  refuse_misfits(world.size(), options.group_size);
  if (options.group_size == 1) return;
  group_ = world.split(world.rank() / options.group_size);
  own_across_ = world.split(world.rank() % options.group_size);
  across_ = own_across_.get();
}

template <typename T>
void Engine::allreduce(std::span<T> data, std::span<const std::int64_t> counts) {
  const Layout layout(counts, data.size());
  Range mine{0, data.size()};
  if (group_) mine = algorithms::scatter_mean(data, *group_, scratch_);
  algorithms::tree(data, mine, layout, {.across = *across_, .within = group_.get()}, scratch_);
  if (group_) algorithms::gather_shares(data, *group_);
}

template <typename T>
void allreduce(std::span<T> data, std::span<const std::int64_t> counts, Peers& peers,
               const Options& options) {
  Engine(peers, options).allreduce(data, counts);
}

template void Engine::allreduce<float>(std::span<float>, std::span<const std::int64_t>);
template void Engine::allreduce<double>(std::span<double>, std::span<const std::int64_t>);
template void allreduce<float>(std::span<float>, std::span<const std::int64_t>, Peers&, const Options&);
template void allreduce<double>(std::span<double>, std::span<const std::int64_t>, Peers&, const Options&);

}  // namespace adasum
