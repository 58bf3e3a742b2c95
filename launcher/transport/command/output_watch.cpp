// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/output_watch.h"

#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t kept_bytes = 128;
// An agent's magic, and the lines by which a node asks for a build, begin so.
constexpr std::string_view mark =
    "\x01"
    "adarun-agent ";

bool is_altered(std::string_view bytes) {
  const std::size_t begin = bytes.find(mark);
  if (begin == std::string_view::npos) return false;
  const std::size_t end = bytes.find('\n', begin);
  return end != std::string_view::npos && bytes[end - 1] == '\r';
}

}  // namespace

void OutputWatch::take(std::string_view bytes) {
  if (has_agent_) return;
  taken_bytes_ += bytes.size();
  tail_ += bytes;
  has_agent_ = tail_.find(protocol::magic) != std::string::npos;
  if (has_agent_) return tail_.clear();
  has_carriage_returns_ = has_carriage_returns_ || tail_.find("\r\n") != std::string::npos;
  if (is_altered(tail_))
    throw Error(
        "what the agent prints arrives altered, with CR LF at line ends: is a terminal in between (-t)?");
  if (taken_bytes_ > most_bytes)
    throw Error("it has printed more than " + std::to_string(most_bytes >> 20U) +
                " MiB, and no agent answers");
  if (tail_.size() > kept_bytes) tail_.erase(0, tail_.size() - kept_bytes);
}

}  // namespace adarun::launcher
