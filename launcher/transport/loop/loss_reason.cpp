// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loss_reason.h"

#include "base/describe.h"

namespace adarun::launcher {
namespace {

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

std::string ended_reason(Link& link, const protocol::FrameReader& reader) {
  std::string words = one_line(link.status_text());
  if (reader.opened()) return words.empty() ? "the agent hung up" : "the agent hung up: " + words;
  const std::string printed = one_line(reader.preamble());
  if (!printed.empty()) words += (words.empty() ? "" : "; ") + std::string("it printed: ") + printed;
  return words.empty() ? "no agent answered" : "no agent answered: " + words;
}

std::string unconnected_reason(Link& link, std::chrono::milliseconds timeout) {
  const std::string words = one_line(link.status_text());
  return "no connection within " + base::describe(timeout) + (words.empty() ? "" : ": " + words);
}

std::string unanswered_reason(Link& link, const protocol::FrameReader& reader,
                              std::chrono::milliseconds timeout) {
  return "the agent did not answer within " + base::describe(timeout) + ": " + ended_reason(link, reader);
}

std::string garbage_reason(Link* link, const std::string& found) {
  const std::string words = link == nullptr ? "" : one_line(link->status_text());
  return "the agent sent what is no frame of ours: " + found + (words.empty() ? "" : "; " + words);
}

std::string silent_reason(const Link* link, const Resumption& resumption, std::chrono::milliseconds lease) {
  const std::string& cut = resumption.cut_reason();
  std::string text = cut.empty() || link != nullptr ? "no sign of life for " + base::describe(lease)
                                                    : cut + "; no way back within " + base::describe(lease);
  const Reconnector* reconnector = resumption.reconnector();
  if (reconnector != nullptr && !reconnector->reason().empty()) text += ": " + reconnector->reason();
  return text + " (is the node up, and the network to it? a longer --lease bridges longer cuts)";
}

std::string busy_reason(std::chrono::milliseconds limit) {
  return "its agent has not answered for " + base::describe(limit) +
         ", though the node acknowledges what it is sent (is the node overloaded, or short of memory?)";
}

std::string busy_text(std::chrono::milliseconds silence, std::chrono::milliseconds limit) {
  return "busy: its agent has not answered for " + base::describe(silence) +
         ", though the node acknowledges what it is sent; waiting for " + base::describe(limit - silence) +
         " more";
}

}  // namespace adarun::launcher
