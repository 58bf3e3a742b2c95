// SPDX-License-Identifier: Apache-2.0
// Any bytes are messages or an Error, the same however the stream is split; a message that was read can be
// written and read again. The first byte selects the opening and the size of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "tests/fuzz/fuzz_target.h"

namespace protocol = adarun::launcher::protocol;

namespace {

struct ReadFrames {
  std::vector<protocol::Message> messages;
  std::string preamble;
  std::string error;

  bool operator==(const ReadFrames&) const = default;
};

ReadFrames read_frames(std::string_view bytes, protocol::Opening opening, protocol::Sender sender,
                       std::size_t piece_bytes) {
  ReadFrames outcome;
  protocol::FrameReader reader(opening, sender);
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
      reader.feed(bytes.substr(0, piece_bytes));
      while (const auto message = reader.next()) outcome.messages.push_back(*message);
    }
  } catch (const protocol::Error& error) {
    outcome.error = error.what();
  }
  outcome.preamble = reader.preamble();
  return outcome;
}

}  // namespace

FUZZ_TARGET(frame_reader) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const protocol::Opening opening = data[0] % 2 == 0 ? protocol::Opening::frame : protocol::Opening::magic;
  const protocol::Sender sender =
      opening == protocol::Opening::frame ? protocol::Sender::launcher : protocol::Sender::agent;
  const ReadFrames whole = read_frames(bytes, opening, sender, size);
  if (read_frames(bytes, opening, sender, 1U + data[0] / 2U) != whole) std::abort();
  for (const protocol::Message& message : whole.messages)
    if (read_frames(protocol::encode(message), protocol::Opening::frame, sender, size).messages !=
        std::vector{message})
      std::abort();
  return 0;
}
