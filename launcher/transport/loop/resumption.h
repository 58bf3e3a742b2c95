// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launcher/transport/loop/closing_links.h"
#include "launcher/transport/loop/event_queue.h"
#include "launcher/transport/loop/reconnector.h"

namespace adarun::launcher {

/// How the connection to one node survives its link: from the first sign of trouble until the agent is heard
/// again, over the same link or another. Reports this by LinkCut, LinkRemark and LinkResumed. Passive;
/// nothing blocks. Queue and closing links must outlive it.
class Resumption {
 public:
  Resumption(std::uint32_t node, Relink relink, EventQueue& events, ClosingLinks& closing)
      : node_(node), relink_(std::move(relink)), events_(events), closing_(closing) {}

  /// The agent gives the command by which it is reached again. Throws protocol::Error if it is not valid.
  void offer(const std::vector<std::string>& command);

  /// The agent need not be reached again.
  void withdraw() { command_.clear(); }

  /// Whether the agent can be reached again.
  bool is_possible() const { return relink_ && !command_.empty(); }

  /// Begins to look for another link, unless a search is in progress: after a growing pause where the links
  /// before broke as soon as they were found. The caller checks the lease.
  void begin(const std::string& why, Reconnector::Clock::time_point now);

  /// Continues to look. Once it is resumed, take_reconnector() has the link.
  Reconnector::State advance(Reconnector::Clock::time_point now);

  /// The search in progress; null: there is none.
  const Reconnector* reconnector() const { return reconnector_.get(); }
  std::unique_ptr<Reconnector> take_reconnector() { return std::move(reconnector_); }

  /// The agent was heard: ends the search, unless the agent may have switched to the new link already.
  void confirm();

  /// Ends the search, and releases the way back with what it holds, such as a jump host's session: the node
  /// is lost.
  void cancel() {
    reconnector_.reset();
    relink_ = nullptr;
  }

  /// Why the link was cut, in one line, until the agent is heard again; else empty.
  const std::string& cut_reason() const { return cut_reason_; }

 private:
  std::uint32_t node_;
  Relink relink_;
  EventQueue& events_;
  ClosingLinks& closing_;
  std::vector<std::string> command_;  ///< Empty: none was given.
  std::unique_ptr<Reconnector> reconnector_;
  std::string cut_reason_;
  std::string told_;   ///< Why the last try failed, as last reported.
  int fruitless_ = 0;  ///< Links in succession that were found, each shortly after the one before.
  Reconnector::Clock::time_point found_at_;  ///< The last of them.
};

}  // namespace adarun::launcher
