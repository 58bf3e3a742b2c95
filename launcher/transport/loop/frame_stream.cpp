// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/frame_stream.h"

namespace adarun::launcher {
namespace {

// An agent keeps in memory what we have not acknowledged.
constexpr std::uint64_t most_unacknowledged = 1U << 20U;

}  // namespace

bool FrameStream::transmit(Link& link, std::size_t most) {
  std::size_t written = 0;
  while (written < most && (!preface_.empty() || !outbox_.empty())) {
    const std::string_view bytes = preface_.empty() ? outbox_.next() : std::string_view(preface_);
    const std::size_t size = link.write(bytes.substr(0, most - written));
    if (size == 0) break;
    if (preface_.empty())
      outbox_.sent(size);
    else
      preface_.erase(0, size);
    written += size;
  }
  return written > 0;
}

// The acknowledgement of Done or Ended is sent at once: the agent waits for nothing else.
bool FrameStream::acknowledge(std::uint64_t position, Acknowledge when) {
  if (position <= acknowledged_) return false;
  const bool is_last = done_ && position == reader_.position();
  if (when == Acknowledge::in_bulk && !is_last && position - acknowledged_ < most_unacknowledged)
    return false;
  acknowledged_ = position;
  send(encoded(protocol::Received{position}));
  return true;
}

void FrameStream::resume(std::uint64_t position, std::string_view rest) {
  outbox_.rewind(position);
  preface_ = protocol::encode(protocol::Resumed{reader_.received()});
  reader_.feed(rest);
}

}  // namespace adarun::launcher
