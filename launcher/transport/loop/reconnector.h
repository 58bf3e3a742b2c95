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
#include "launcher/transport/loop/closing_links.h"
#include "launcher/transport/loop/link.h"

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

}  // namespace adarun::launcher
