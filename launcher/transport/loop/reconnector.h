// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/event_queue.h"
#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

/// How the connection to one node survives its link: from the first sign of trouble until the agent is heard
/// again, over the same link or another. A search tries one link after the other, with growing random pauses,
/// until the agent answers; the owner keeps its deadline. Reports by LinkCut, LinkRemark and LinkResumed.
/// Passive; nothing blocks, and only offer() throws.
class Reconnector {
 public:
  using Clock = std::chrono::steady_clock;

  /// trying -> resumed: the agent has answered, with Resumed.
  /// trying -> gone: the agent has ended.
  /// trying -> refused: the agent is not met where it was, but may be there.
  enum class State { trying, resumed, gone, refused };

  /// No pause is longer: a link that lasts as long was of use.
  static constexpr std::chrono::milliseconds longest_pause{2'000};

  /// `closing` gets each link that failed. It and `events` outlive this.
  Reconnector(std::uint32_t node, Relink relink, EventQueue& events, ClosingLinks& closing)
      : node_(node), relink_(std::move(relink)), events_(events), closing_(closing) {}
  ~Reconnector() { stop(); }
  Reconnector(const Reconnector&) = delete;
  Reconnector& operator=(const Reconnector&) = delete;

  /// The agent gives the command by which it is reached again. Throws protocol::Error if it is not valid.
  void offer(const std::vector<std::string>& command);

  /// The agent need not be reached again.
  void withdraw() { command_.clear(); }

  /// Whether the agent can be reached again.
  bool is_possible() const { return relink_ && !command_.empty(); }

  /// Begins to look for another link, unless a search is in progress: after a growing pause where the links
  /// before broke as soon as they were found. The caller checks the lease.
  void begin(const std::string& why, Clock::time_point now);
  bool is_searching() const { return search_.has_value(); }

  /// Continues the search in progress.
  State advance(Clock::time_point now);

  /// What to poll, unless the search pauses.
  bool has_link() const { return search_ && search_->link; }
  int fd() const { return search_->link->fd(); }
  short wanted() const { return search_->link->wanted(); }

  /// Why the last try of the search failed, or the agent is gone or refused; one line, empty if none has.
  std::string reason() const { return search_ ? search_->reason : ""; }

  /// Once it is resumed: the position up to which the agent has our bytes, what was read after its answer,
  /// and the link, which ends the search.
  std::uint64_t position() const { return search_->position; }
  std::string take_rest() { return search_->reader.take_rest(); }
  std::unique_ptr<Link> take_link();

  /// The agent was heard: ends the search, unless the agent may have switched to a link of the search, and no
  /// longer reads the old one, from which bytes may still come that it sent before.
  void confirm();

  /// Ends the search, and releases the way back with what it holds, such as a jump host's session: the node
  /// is lost.
  void cancel();

  /// Why the link was cut, in one line, until the agent is heard again; else empty.
  const std::string& cut_reason() const { return cut_reason_; }

 private:
  struct Search {
    std::vector<std::string> command;
    Clock::time_point due;  ///< Start of the next try, or end of this one.
    int pauses = 0;
    int tries = 0;
    std::unique_ptr<Link> link = nullptr;  ///< None during a pause.
    bool is_open = false;
    bool may_have_switched = false;  ///< A link was open: it may be the one that the agent reads.
    std::size_t heard_bytes = 0;     ///< By this link.
    protocol::FrameReader reader{protocol::Opening::magic};
    std::uint64_t position = 0;
    std::string reason = {};
  };

  State try_link(Clock::time_point now);
  State listen();
  void fail(const std::string& reason, Clock::time_point now);
  void stop();
  std::chrono::milliseconds next_pause();

  std::uint32_t node_;
  Relink relink_;
  EventQueue& events_;
  ClosingLinks& closing_;
  std::vector<std::string> command_;  ///< Empty: none was given.
  std::optional<Search> search_;
  std::string cut_reason_;
  std::string told_;            ///< Why the last try failed, as last reported.
  int fruitless_ = 0;           ///< Links in succession that were found, each shortly after the one before.
  Clock::time_point found_at_;  ///< The last of them.
  std::minstd_rand chance_{std::random_device()()};
};

}  // namespace adarun::launcher
