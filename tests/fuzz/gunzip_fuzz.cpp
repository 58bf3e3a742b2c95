// SPDX-License-Identifier: Apache-2.0
// Any bytes as a packed log: the output, or the error, is the same however they are split. The first byte
// selects the size of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "monitor/base/error.h"
#include "monitor/files/open_file.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace mon = adarun::monitor;

namespace {

constexpr std::size_t most_unpacked_bytes = std::size_t{1} << 20;

struct Unpacked {
  std::string bytes;
  bool refused = false;
};

Unpacked unpack(std::string_view packed, std::size_t piece_bytes, std::size_t room_bytes) {
  Unpacked outcome;
  mon::Gunzip gunzip;
  try {
    for (std::size_t end = piece_bytes; outcome.bytes.size() < most_unpacked_bytes;) {
      std::string some;
      const std::string_view piece = packed.substr(0, std::min(end, packed.size()));
      const std::size_t used = gunzip.unpack(piece, some, room_bytes);
      demand(used <= piece.size() && some.size() <= room_bytes);
      outcome.bytes += some;
      packed.remove_prefix(used);
      if (used > 0 || !some.empty()) continue;
      if (end >= packed.size()) break;
      end += piece_bytes;
    }
  } catch (const mon::Error&) {
    outcome.refused = true;
  }
  return outcome;
}

}  // namespace

FUZZ_TARGET(gunzip) {
  if (size == 0) return 0;
  const std::string_view packed(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Unpacked whole = unpack(packed, size, std::size_t{1} << 16);
  const Unpacked cut = unpack(packed, 1U + data[0], std::size_t{1} << 12);
  if (whole.bytes.size() >= most_unpacked_bytes || cut.bytes.size() >= most_unpacked_bytes) return 0;
  demand(cut.refused == whole.refused);
  demand(whole.refused || cut.bytes == whole.bytes);
  return 0;
}
