// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/collective.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {
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

}  // namespace adarun::trainer
