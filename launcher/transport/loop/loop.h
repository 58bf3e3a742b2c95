// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/log/log.h"
#include "launcher/transport/loop/node_connection.h"
#include "launcher/transport/loop/transport.h"
#include "launcher/transport/loop/transport_log.h"

namespace adarun::launcher {

/// A transport over any kind of link: one thread owns the connections to all nodes and moves their bytes, so
/// that pings are sent and answers read even while the main thread is busy. If a link breaks or becomes
/// silent, and the agent can be reached again, its connection continues over another link without a gap.
///
/// Its parts: node_connection.h is one node's connection, over a Link (link.h); it decodes what is received
/// into messages (frame_stream.h), resumes after a cut (reconnector.h), and hands events to the main thread
/// (event_queue.h).
class Loop : public Transport {
 public:
  /// Reaches no node yet. Throws Error. What goes over it is logged, as transport_log.h describes; null:
  /// nothing is.
  explicit Loop(const LinkOptions& options, base::Log* log = nullptr);
  ~Loop() override;

  /// Starts connecting to further nodes; returns the number of the first one, which the others follow.
  std::uint32_t add(std::vector<NodeLink> links);

  using Transport::send;
  void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) override;
  void stop_all() override;
  void take_silence(Silence silence) override;
  int ready_fd() const override { return context_.events.ready_fd(); }
  std::vector<TransportEvent> take() override;

 private:
  using Clock = std::chrono::steady_clock;
  using Frame = std::pair<std::vector<std::uint32_t>, Outbox::Bytes>;

  void run();
  void start_waiting();
  void wait();
  void wake() const;
  void hand_over(std::vector<std::uint32_t> nodes, const protocol::Message& message);
  void take_handed_over();
  void ping();
  void advance_all();
  void check_silence(bool has_read);
  void hang_up();

  ConnectionContext context_;
  std::deque<NodeConnection> connections_;  ///< Of the I/O thread.
  base::FileDescriptor wake_;               ///< Readable once the I/O thread is to do something.
  std::mutex mutex_;                        ///< For the next two, which the I/O thread has not taken yet:
  std::vector<NodeLink> added_;             ///< nodes,
  std::vector<Frame> outgoing_;             ///< and frames to some nodes.
  std::atomic<std::uint32_t> nodes_ = 0;    ///< That were added.
  std::optional<TransportLog> log_;         ///< Of the main thread.
  std::atomic<bool> stopping_ = false;
  std::atomic<Silence> silence_ = Silence::counts;
  std::atomic<bool> excuse_ = false;            ///< All deadlines are to be extended once.
  std::uint32_t first_ = 0;                     ///< The first node of the next turn.
  Clock::time_point next_beat_{};               ///< When all connections are due,
  Clock::time_point next_pings_{};              ///< and when pings are sent to all.
  Clock::time_point polled_at_ = Clock::now();  ///< When links were last polled,
  Clock::time_point checked_at_ = polled_at_;   ///< and when they had been polled at the last check.
  std::thread thread_;
};

}  // namespace adarun::launcher
