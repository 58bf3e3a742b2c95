// SPDX-License-Identifier: Apache-2.0
// Any bytes are unchanged after packing and unpacking. Any bytes as packed data give a text of the allowed
// size, which can be packed and read again, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/pack.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace protocol = adarun::launcher::protocol;

namespace {

constexpr std::size_t most_text_bytes = std::size_t{1} << 16;

void require_round_trip(std::string_view text) {
  demand(protocol::unpack(protocol::pack(text), text.size()) == text);
}

}  // namespace

FUZZ_TARGET(pack) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  require_round_trip(bytes);
  try {
    const std::string text = protocol::unpack(bytes, most_text_bytes);
    demand(text.size() <= most_text_bytes);
    require_round_trip(text);
  } catch (const protocol::Error&) {
  }
  return 0;
}
