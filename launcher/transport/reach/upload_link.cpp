// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/upload_link.h"

#include <poll.h>

#include <algorithm>

#include "base/describe.h"
#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher {
namespace {

constexpr char first_of_marks = '\x01';
constexpr std::size_t longest_request = 64;

}  // namespace

short UploadLink::wanted() const {
  return static_cast<short>(link_->wanted() | (to_upload_.empty() ? 0 : POLLOUT));
}

std::size_t UploadLink::read(std::span<char> buffer) {
  if (agent_has_spoken_ && held_.empty()) return link_->read(buffer);
  upload();
  if (held_.empty() || deliverable_bytes() == 0) {
    const std::size_t size = link_->read(buffer);
    held_.append(buffer.data(), size);
    take_marks();
  }
  const std::size_t size = std::min(deliverable_bytes(), buffer.size());
  std::copy_n(held_.begin(), size, buffer.begin());
  held_.erase(0, size);
  return size;
}

// An upload may take longer than the agent has time to answer.
std::string UploadLink::status_text() {
  std::string words = link_->status_text();
  if (build_bytes_ == 0 || agent_has_spoken_ || link_->ended()) return words;
  words.erase(words.find_last_not_of(" \r\n") + 1);
  return words + (words.empty() ? "" : "; ") + "the agent is being uploaded, " +
         base::describe_bytes(build_bytes_ - to_upload_.size()) + " of " +
         base::describe_bytes(build_bytes_) +
         " so far (a longer --connect-timeout gives it more time, a smaller --fanout more of the network)";
}

void UploadLink::upload() {
  while (!to_upload_.empty()) {
    const std::size_t size = link_->write(to_upload_);
    if (size == 0) return;
    to_upload_.remove_prefix(size);
  }
}

void UploadLink::take_marks() {
  if (const std::size_t begin = held_.find(begun_mark); !has_begun_ && begin != std::string::npos) {
    held_.erase(begin, std::string_view(begun_mark).size());
    has_begun_ = true;
  }
  agent_has_spoken_ = agent_has_spoken_ || held_.find(protocol::magic) != std::string::npos;
  has_begun_ = has_begun_ || agent_has_spoken_;
  if (!agent_has_spoken_) take_request();
}

void UploadLink::take_request() {
  const std::size_t begin = held_.find(wanted_mark);
  const std::size_t end = held_.find('\n', begin);
  if (begin == std::string::npos || end == std::string::npos) return;
  const std::size_t name_begin = begin + std::string_view(wanted_mark).size();
  const std::string name = held_.substr(name_begin, std::min(end - name_begin, longest_request));
  held_.erase(begin, end + 1 - begin);
  for (const AgentBuild& build : source_->builds)
    if (build.name == name) to_upload_ = build.content;
  build_bytes_ = to_upload_.size();
  if (to_upload_.empty()) throw Error("the node asks for an agent that is not here: " + name);
  upload();
}

// All but what may be the beginning of a request, or of the agent's first frame.
std::size_t UploadLink::deliverable_bytes() const {
  if (agent_has_spoken_ || link_->ended()) return held_.size();
  const std::size_t mark = held_.rfind(first_of_marks);
  return mark == std::string::npos || held_.size() - mark > longest_request ? held_.size() : mark;
}

}  // namespace adarun::launcher
