// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loop.h"

#include <poll.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/signals.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds poll_interval{100};
// Where a link has no descriptor yet.
constexpr milliseconds short_interval{1};
// A turn that takes longer was held up: this process was stopped, or had no processor.
constexpr milliseconds usual_turn{250};
// How long agents on this machine may take to end, all together, before we stop waiting for them.
constexpr milliseconds most_closing_time{1'000};

}  // namespace

Loop::Loop(const LinkOptions& options, base::Log* log)
    : context_{options, {}, {}, PingSchedule(options.lease, Clock::now())} {
  if (log != nullptr) log_.emplace(*log);
  thread_ = base::start_quiet_thread([this] { run(); });
}

Loop::~Loop() {
  stopping_ = true;
  send_queue_.wake();
  thread_.join();
}

std::uint32_t Loop::add(std::vector<NodeLink> links) {
  if (log_)
    for (const NodeLink& link : links) log_->add(link.node);
  const auto count = static_cast<std::uint32_t>(links.size());
  {
    const std::lock_guard lock(added_mutex_);
    std::move(links.begin(), links.end(), std::back_inserter(added_));
  }
  send_queue_.wake();
  return nodes_.fetch_add(count);
}

void Loop::send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) {
  if (log_) log_->sent(nodes, message);
  send_queue_.push({nodes, std::make_shared<const std::string>(protocol::encode(message))});
}

void Loop::stop_all() {
  std::vector<std::uint32_t> nodes(nodes_);
  std::iota(nodes.begin(), nodes.end(), 0);
  send_queue_.push({nodes, std::make_shared<const std::string>(protocol::encode(protocol::Stop{}))});
}

std::vector<TransportEvent> Loop::take() {
  std::vector<TransportEvent> events = context_.events.take();
  if (log_) log_->take(events);
  return events;
}

// The I/O thread is stopped with the process. Whether it wakes before or after the call that lets silence
// count again, it extends its deadlines first.
void Loop::take_silence(Silence silence) {
  excuse_ = true;
  silence_ = silence;
  send_queue_.wake();
}

void Loop::run() {
  while (!stopping_) {
    take_added();
    start_waiting();
    wait();
    take_outgoing();
    ping();
    const bool was_reading = std::exchange(context_.reading, !context_.events.full());
    for (NodeConnection& connection : connections_) {
      connection.acknowledge(FrameStream::Acknowledge::in_bulk);
      connection.reconnect();
    }
    advance_all();
    check_silence(was_reading && context_.reading);
    context_.closing.advance();
  }
  hang_up();
}

void Loop::start_waiting() {
  auto connecting = std::count_if(connections_.begin(), connections_.end(),
                                  [](const NodeConnection& each) { return each.is_connecting(); });
  for (NodeConnection& connection : connections_) {
    if (connecting >= context_.options.fanout) return;
    if (!connection.is_waiting()) continue;
    connection.start();
    ++connecting;
  }
}

void Loop::wait() {
  std::vector<pollfd> polled{{send_queue_.fd(), POLLIN, 0}};
  milliseconds timeout = poll_interval;
  for (const NodeConnection& connection : connections_) {
    polled.push_back(connection.link_poll());
    if (!connection.has_link()) continue;
    if (polled.back().fd < 0) timeout = std::min(timeout, short_interval);
    if (connection.is_due()) timeout = milliseconds(0);
  }
  for (const NodeConnection& connection : connections_)
    if (const auto link = connection.reconnect_poll()) {
      polled.push_back(*link);
      if (link->fd < 0) timeout = std::min(timeout, short_interval);
    }
  polled_at_ = Clock::now();
  poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
  const bool beat = Clock::now() >= next_beat_;
  if (beat) next_beat_ = Clock::now() + poll_interval;
  for (std::size_t node = 0; node < connections_.size(); ++node)
    if (beat || polled[node + 1].fd < 0 || polled[node + 1].revents != 0) connections_[node].set_due();
}

// A frame may be for a node that was added just before.
void Loop::take_outgoing() {
  const std::vector<SendQueue::Item> items = send_queue_.take();
  take_added();
  for (const SendQueue::Item& item : items)
    for (const std::uint32_t node : item.nodes) connections_[node].send(item.frame);
}

void Loop::take_added() {
  const std::lock_guard lock(added_mutex_);
  for (NodeLink& link : added_)
    connections_.emplace_back(static_cast<std::uint32_t>(connections_.size()), std::move(link), context_);
  added_.clear();
}

// A queued message shows as well as a ping that we are alive, so no ping is added to it.
void Loop::ping() {
  if (!context_.pings.begin_interval(Clock::now())) return;
  const PingFrame ping = context_.pings.make_ping();
  for (NodeConnection& connection : connections_) connection.ping(ping);
}

// If one node's output fills the queue, the next turn begins with the node after it, so that all nodes are
// served.
void Loop::advance_all() {
  const EventQueue& events = context_.events;
  const auto count = static_cast<std::uint32_t>(connections_.size());
  const std::uint32_t first = first_;
  bool was_full = events.full();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t node = (first + i) % count;
    if (connections_[node].is_due()) connections_[node].advance();
    if (!was_full && events.full()) first_ = (node + 1) % count;
    was_full = was_full || events.full();
  }
}

void Loop::check_silence(bool has_read) {
  // silence_ is read before excuse_, since take_silence() sets excuse_ first.
  const bool excused = silence_ == Silence::excused;
  const bool excuses_all = excuse_.exchange(false) || excused;
  const Clock::duration late = polled_at_ - std::exchange(checked_at_, polled_at_) - usual_turn;
  for (NodeConnection& connection : connections_) {
    if (late > Clock::duration::zero()) connection.excuse(late);
    if (excuses_all) connection.excuse_silence();
    if (!has_read) connection.excuse_unread();
    connection.check_silence(polled_at_);
  }
}

void Loop::hang_up() {
  context_.events.finish();
  for (NodeConnection& connection : connections_) connection.flush();
  for (NodeConnection& connection : connections_) connection.hang_up();
  context_.closing.finish(most_closing_time);
}

}  // namespace adarun::launcher
