// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/collective.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {
namespace {

/// The part of `rank` of what all ranks have, `size` values each.
template <typename Value>
std::span<Value> part_of(std::span<Value> all, std::size_t size, int rank) {
  return all.subspan(size * static_cast<std::size_t>(rank), size);
}

}  // namespace

void wait_for_all(adasum::Communicator& communicator) {
  std::array<double, 1> nothing = {};
  communicator.sum(std::span<double>(nothing));
}

std::string text_of_rank(int rank, const std::string& text, adasum::Communicator& communicator) {
  std::uint64_t size = text.size();
  communicator.broadcast(std::as_writable_bytes(std::span(&size, 1)), rank);
  std::string shared = text;
  shared.resize(size);
  communicator.broadcast(std::as_writable_bytes(std::span(shared)), rank);
  return shared;
}

std::string text_of_first_rank(const std::string& text, adasum::Communicator& communicator) {
  return text_of_rank(0, text, communicator);
}

std::string first_text(const std::string& text, adasum::Communicator& communicator) {
  const std::optional<int> first = adasum::first_without(text.empty(), communicator);
  return first ? text_of_rank(*first, text, communicator) : "";
}

void gather_to_first(std::span<const float> mine, std::span<float> all, adasum::Communicator& communicator) {
  if (communicator.rank() != 0) return communicator.send(0, std::as_bytes(mine));
  assert(all.size() == mine.size() * static_cast<std::size_t>(communicator.size()));
  std::ranges::copy(mine, all.begin());
  for (int rank = 1; rank < communicator.size(); ++rank)
    communicator.receive(rank, std::as_writable_bytes(part_of(all, mine.size(), rank)));
}

void scatter_from_first(std::span<const float> all, std::span<float> mine,
                        adasum::Communicator& communicator) {
  if (communicator.rank() != 0) return communicator.receive(0, std::as_writable_bytes(mine));
  assert(all.size() == mine.size() * static_cast<std::size_t>(communicator.size()));
  for (int rank = 1; rank < communicator.size(); ++rank)
    communicator.send(rank, std::as_bytes(part_of(all, mine.size(), rank)));
  std::ranges::copy(part_of(all, mine.size(), 0), mine.begin());
}

}  // namespace adarun::trainer
