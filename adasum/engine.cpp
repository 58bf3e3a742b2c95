// SPDX-License-Identifier: Apache-2.0
#include "adasum/engine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <new>
#include <string>

#include "adasum/error.h"
#include "adasum/peer_scalars.h"
#include "adasum/shared/node.h"

namespace adasum {
namespace {

bool is_power_of_two(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

void refuse_misfits(int world_size, const Options& options) {
  const std::string world = "world of " + std::to_string(world_size) + " ranks: ";
  const int group_size = options.group_size;
  if (group_size < 1 || world_size % group_size != 0) {
    throw Misfit(world + "group size " + std::to_string(group_size) +
                 ": wanted a divisor of the world's size");
  }
  const int groups = world_size / group_size;
  if (is_power_of_two(groups)) return;
  const std::string number = world + (group_size == 1 ? "" : std::to_string(groups) + " groups: ");
  if (options.worlds == Worlds::powers_of_two)
    throw Misfit(number + "AdaSum combines a power of two (1, 2, 4, 8, 16, ...)");
  if (options.algorithm == Algorithm::tree) throw Misfit(number + "the tree algorithm takes a power of two");
}

}  // namespace

struct Engine::OwnMemory {
  struct Block {
    std::size_t size_bytes;
    std::byte* begin;

    Block(std::size_t size, std::byte* memory) : size_bytes(size), begin(memory) {}
    ~Block() { ::operator delete (begin, std::align_val_t{4096}); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
  };
  std::list<Block> blocks;
};

Engine::Engine(Peers& world, const Options& options)
    : world_(world), options_(options), own_memory_(std::make_shared<OwnMemory>()) {
  refuse_misfits(world.size(), options);
  if (world.size() > 1) node_ = Node::make(world);
  split_into_groups();
}

Engine::Engine(Engine& other, const Options& options)
    : own_world_(other.world_.split(0)),
      world_(*own_world_),
      options_(options),
      own_memory_(other.own_memory_) {
  refuse_misfits(world_.size(), options);
  if (other.node_) node_ = other.node_->again(world_);
  split_into_groups();
}

void Engine::split_into_groups() {
  if (options_.group_size == 1 || !is_power_of_two(world_.size() / options_.group_size)) return;
  group_ = world_.split(world_.rank() / options_.group_size);
  across_groups_ = world_.split(world_.rank() % options_.group_size);
}

Engine::~Engine() = default;

std::span<std::byte> Engine::allocate(std::size_t size_bytes) {
  if (node_) {
    if (const auto memory = node_->allocate(size_bytes)) return *memory;
  }
  const std::size_t room = std::max<std::size_t>(size_bytes, 1);
  auto* memory = static_cast<std::byte*>(::operator new (room, std::align_val_t{4096}, std::nothrow));
  if (memory == nullptr) throw Error("no memory for " + std::to_string(size_bytes) + " bytes");
  std::fill_n(memory, room, std::byte{0});
  own_memory_->blocks.emplace_back(size_bytes, memory);
  return {memory, size_bytes};
}

bool Engine::free(const void* memory) {
  if (node_ && node_->free(memory)) return true;
  return own_memory_->blocks.remove_if([&](const auto& block) { return block.begin == memory; }) > 0;
}

Node* Engine::node() {
  const bool by_messages = options_.algorithm == Algorithm::tree || options_.algorithm == Algorithm::gram;
  return by_messages ? nullptr : node_.get();
}

bool Engine::agree(std::uint64_t fingerprint, bool flag) {
  constexpr int exact_bits = 52;  // of a double
  const auto number = static_cast<double>(fingerprint >> (64 - exact_bits));
  std::array<double, 3> values = {number, -number, flag ? 1.0 : 0.0};
  if (node_ && node_->across() == nullptr) {
    node_->board().max(values);
  } else {
    PeerScalars(world_).max(values);
  }
  if (values[0] != -values[1]) throw ListsDiffer("ranks have been given different lists of tensors");
  return values[2] != 0;
}

}  // namespace adasum
