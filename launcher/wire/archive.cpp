// SPDX-License-Identifier: Apache-2.0
#include "launcher/wire/archive.h"

#include "launcher/wire/error.h"

namespace adarun::wire {

void Reader::expect_end() const {
  if (!rest_.empty()) throw Error("message: " + std::to_string(rest_.size()) + " bytes after its last field");
}

std::uint32_t Reader::count() {
  std::uint32_t value = 0;
  take(value);
  if (value > rest_.size())
    throw Error("message: a count of " + std::to_string(value) + " with " + std::to_string(rest_.size()) +
                " bytes left");
  return value;
}

std::string_view Reader::next(std::size_t size) {
  if (size > rest_.size())
    throw Error("message: ends early, wanted " + std::to_string(size) + " bytes, found " +
                std::to_string(rest_.size()));
  const std::string_view head = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return head;
}

}  // namespace adarun::wire
