// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/queues.h"

namespace adarun::launcher {

/// Throws protocol::Error unless `command`, which a node gives for reaching its agent again, has this form:
/// an absolute path, "--resume", an absolute path, without control characters.
void require_resume_command(const std::vector<std::string>& command);

/// Connects again to an agent that was cut off: tries one link after the other, with growing random pauses,
/// until the agent answers. Passive; nothing blocks, nothing is thrown. The owner keeps the deadline.
class Reconnector {
 public:
  using Clock = std::chrono::steady_clock;
  using MakeLink = std::function<std::unique_ptr<Link>()>;

  /// trying -> resumed: the agent has answered, with Resumed.
  /// trying -> gone: the agent has ended.
  /// trying -> refused: the agent is not met where it was, but may be there.
  enum class State { trying, resumed, gone, refused };

  /// No pause is longer: a link that lasts as long was of use.
  static constexpr std::chrono::milliseconds longest_pause{2'000};

  /// `closing` gets each link that failed, and outlives this. `fruitless`: how many links in succession were
  /// found just before, and broke at once; if any, this begins with the pause after as many tries.
  Reconnector(MakeLink make_link, ClosingLinks& closing, Clock::time_point now, int fruitless = 0);
  ~Reconnector();
  Reconnector(const Reconnector&) = delete;
  Reconnector& operator=(const Reconnector&) = delete;

  State advance(Clock::time_point now);

  /// What to poll: -1 during a pause.
  int fd() const { return link_ ? link_->fd() : -1; }
  short wanted() const { return link_ ? link_->wanted() : short{0}; }
  bool pausing() const { return !link_; }

  /// Whether the agent may have switched to the new link already: then it no longer reads the old one.
  bool committed() const { return open_; }

  /// Why it is gone or refused, or why the last try failed; one line, empty if none has failed.
  const std::string& reason() const { return reason_; }

  /// Once it is resumed: the link, the position up to which the agent has our bytes, and what was read after
  /// its answer.
  std::unique_ptr<Link> take_link() { return std::move(link_); }
  std::uint64_t position() const { return position_; }
  std::string take_rest() { return reader_.take_rest(); }

 private:
  State listen();
  void fail(const std::string& reason, Clock::time_point now);
  std::chrono::milliseconds next_pause();

  MakeLink make_link_;
  ClosingLinks& closing_;
  std::unique_ptr<Link> link_;
  bool open_ = false;
  std::size_t heard_bytes_ = 0;  ///< By this link.
  protocol::FrameReader reader_{protocol::Opening::magic};
  std::uint64_t position_ = 0;
  Clock::time_point due_;  ///< Start of the next try, or end of this one.
  int tries_ = 0;
  int pauses_;
  std::string reason_;
  std::minstd_rand chance_{std::random_device()()};
};

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
