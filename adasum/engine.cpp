// SPDX-License-Identifier: Apache-2.0
#include "adasum/engine.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <string>

#include "adasum/shared_memory/node.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

constexpr std::size_t page_bytes = 4096;

}  // namespace

Engine::Engine(Communicator& world, const Options& options, Communicator* parts)
    : topology_(world, options, parts), own_memory_(std::make_shared<OwnMemory>()) {}

Engine::Engine(Engine& other, const Options& options)
    : topology_(other.topology_, options), own_memory_(other.own_memory_) {}

Engine::~Engine() = default;

std::span<std::byte> Engine::allocate(std::size_t size_bytes) {
  const auto memory = allocate_here(size_bytes);
  const auto without = first_without(memory.has_value(), world());
  if (!without) return *memory;
  if (memory) free(memory->data());
  throw Error("rank " + std::to_string(world().world_rank(*without)) +
              " has no memory for as many bytes as it asked for");
}

std::optional<std::span<std::byte>> Engine::allocate_here(std::size_t size_bytes) {
  if (Node* node = topology_.node()) {
    if (const auto memory = node->allocate(size_bytes)) return memory;
  }
  // The library rounds sizes up to a page, those near the largest number to 0.
  if (size_bytes > std::size_t{PTRDIFF_MAX} - page_bytes) return std::nullopt;
  const std::size_t room = std::max<std::size_t>(size_bytes, 1);
  auto* memory = static_cast<std::byte*>(::operator new (room, std::align_val_t{page_bytes}, std::nothrow));
  if (memory == nullptr) return std::nullopt;
  std::fill_n(memory, room, std::byte{0});
  own_memory_->emplace_back(
      memory, [](std::byte* begin) { ::operator delete (begin, std::align_val_t{page_bytes}); });
  return std::span(memory, size_bytes);
}

bool Engine::free(const void* memory) {
  if (Node* node = topology_.node(); node != nullptr && node->free(memory)) return true;
  return own_memory_->remove_if([&](const auto& block) { return block.get() == memory; }) > 0;
}

}  // namespace adasum
