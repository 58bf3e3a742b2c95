// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/event_queue.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/outbox.h"
#include "launcher/transport/loop/reconnector.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// A transport over any kind of link: one thread owns all of them and moves their bytes, so that pings go
/// out and answers come in however long the main thread is held up. Where a link breaks or falls silent, and
/// the agent can be met again, the conversation goes on over another link without a gap.
class Loop : public Transport {
 public:
  /// `links[i]` leads to node i. Without `relink` a link that breaks is lost.
  Loop(std::vector<std::unique_ptr<Link>> links, const LinkOptions& options, Relink relink = nullptr);
  ~Loop() override;

  using Transport::send;
  void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) override;
  void take_silence(Silence silence) override;
  int ready_fd() const override { return events_.ready_fd(); }
  std::vector<TransportEvent> take() override { return events_.take(); }

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { waiting, opening, greeting, open, gone };

  /// The conversation with one node: its link, what waits for it and when it was last heard.
  struct Lane {
    std::unique_ptr<Link> link;  ///< None while an open lane is cut.
    std::string_view step;       ///< The last that was told of it.
    protocol::FrameReader reader{protocol::Opening::magic};
    State state = State::waiting;
    std::string preface;  ///< Comes before all else on a further link.
    Outbox outgoing;
    bool due = true;             ///< Something may be read or written.
    Clock::time_point deadline;  ///< By when something must have been heard.
    protocol::Ping ping;         ///< The last one,
    std::int64_t pinged_ns = 0;  ///< and when it went out.
    std::uint64_t acknowledged = 0;
    bool done = false;  ///< The agent has said Done.

    std::vector<std::string> rendezvous;       ///< How to reach the agent again; empty: there is no way.
    std::unique_ptr<Reconnector> reconnector;  ///< While another link is being looked for.
    std::string cut;                           ///< Why the link was cut, until it is resumed.
    std::string tried;  ///< Why the last try to replace it failed, as far as that was told.
  };

  void run();
  void poll_once();
  void start_waiting();
  void take_outgoing();
  void advance_all();
  void advance(std::uint32_t node);
  void open(std::uint32_t node, Lane& lane);
  bool receive(std::uint32_t node, Lane& lane);
  void take(std::uint32_t node, Lane& lane, protocol::Message message);
  bool deliver(std::uint32_t node, Lane& lane);
  void transmit(Lane& lane);
  void ping();
  void send_ping(Lane& lane, const protocol::Ping& ping, const std::shared_ptr<const std::string>& frame);
  void excuse_silence();
  void check_deadlines(bool reading);
  void lose(std::uint32_t node, const std::string& reason);

  static bool keep_for_itself(Lane& lane, const protocol::Message& message);
  void acknowledge(std::uint32_t node, bool now);
  void hear(std::uint32_t node);
  void doubt(std::uint32_t node);
  void break_off(std::uint32_t node, const std::string& reason);
  void look_for_another_link(std::uint32_t node, const std::string& why);
  void come_back(std::uint32_t node);
  void resume(std::uint32_t node);
  std::string ending_of_lease(const Lane& lane) const;
  std::string ending(Lane& lane) const;
  void see_off();
  void hang_up();

  LinkOptions options_;
  Relink relink_;
  std::vector<std::unique_ptr<Link>> leaving_;  ///< That have hung up, until nothing is left to see to.
  std::vector<Lane> lanes_;                     ///< Their comebacks leave links to leaving_.
  EventQueue events_;
  base::FileDescriptor wake_;
  std::mutex outgoing_mutex_;
  std::vector<std::pair<std::vector<std::uint32_t>, Outbox::Bytes>> outgoing_;
  std::atomic<bool> stopping_ = false;
  std::atomic<Silence> silence_ = Silence::counts;
  std::atomic<bool> excuse_ = false;  ///< Deadlines are to be put off once.
  bool reading_ = true;
  std::uint32_t first_ = 0;  ///< Which node comes first in the next turn.
  Clock::time_point next_ping_;
  Clock::time_point next_beat_{};  ///< When all lanes are due.
  Clock::time_point looked_at_{};  ///< When links were asked last whether something has come.
  std::uint64_t ping_sequence_ = 0;
  std::thread thread_;
};

}  // namespace adarun::launcher
