// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/collective.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "adasum/finite.h"

namespace adarun::trainer {
namespace {

std::string text_of(int rank, std::string text, adasum::Peers& peers) {
  std::uint64_t size = text.size();
  peers.broadcast(std::as_writable_bytes(std::span(&size, 1)), rank);
  text.resize(size);
  peers.broadcast(std::as_writable_bytes(std::span(text)), rank);
  return text;
}

}  // namespace

void wait_for_all(adasum::Peers& peers) {
  std::array<double, 1> nothing = {};
  peers.sum(std::span<double>(nothing));
}

std::string text_of_first_rank(const std::string& text, adasum::Peers& peers) {
  return text_of(0, text, peers);
}

std::string first_text(const std::string& text, adasum::Peers& peers) {
  const std::optional<int> first = adasum::first_without(text.empty(), peers);
  return first ? text_of(*first, text, peers) : "";
}

}  // namespace adarun::trainer
