// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/archive.h"

namespace adarun::launcher::protocol {

std::string_view shortened(std::string_view text) {
  if (text.size() <= most_brief_bytes) return text;
  std::size_t end = most_brief_bytes;
  const auto continues = [text](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  for (int back = 0; back < 3 && continues(end); ++back) --end;
  return text.substr(0, end);
}

void ArchiveReader::take(const BoundedText& brief) {
  take(brief.text);
  if (brief.text.size() > most_brief_bytes)
    throw Error("message: a text of " + std::to_string(brief.text.size()) + " bytes, at most " +
                std::to_string(most_brief_bytes));
}

void ArchiveReader::take(const Instant& instant) {
  constexpr std::int64_t end = std::int64_t{1} << 62U;
  take(instant.ns);
  if (instant.ns < 0 || instant.ns >= end) throw Error("message: a time that no clock tells");
}

void ArchiveReader::hold(std::size_t bytes) {
  held_bytes_ += bytes;
  if (held_bytes_ > most_held_bytes)
    throw Error("message: holds more than " + std::to_string(most_held_bytes) + " bytes");
}

void ArchiveReader::expect_end() const {
  if (!rest_.empty()) throw Error("message: " + std::to_string(rest_.size()) + " bytes after its last field");
}

std::uint32_t ArchiveReader::count() {
  std::uint32_t value = 0;
  take(value);
  if (value > rest_.size())
    throw Error("message: a count of " + std::to_string(value) + " with " + std::to_string(rest_.size()) +
                " bytes left");
  return value;
}

std::string_view ArchiveReader::next(std::size_t size) {
  if (size > rest_.size())
    throw Error("message: ends early, wanted " + std::to_string(size) + " bytes, found " +
                std::to_string(rest_.size()));
  const std::string_view head = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return head;
}

}  // namespace adarun::launcher::protocol
