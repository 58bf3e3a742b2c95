// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loop.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/signals.h"
#include "launcher/base/error.h"
#include "launcher/protocol/defaults.h"
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
    : context_{options, {}, {}}, wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!wake_) throw Error("cannot make an event descriptor");
  if (log != nullptr) log_.emplace(*log);
  thread_ = base::start_quiet_thread([this] { run(); });
}

Loop::~Loop() {
  stopping_ = true;
  wake();
  thread_.join();
}

std::uint32_t Loop::add(std::vector<NodeLink> links) {
  if (log_)
    for (const NodeLink& link : links) log_->add(link.node);
  const auto count = static_cast<std::uint32_t>(links.size());
  {
    const std::lock_guard lock(mutex_);
    std::move(links.begin(), links.end(), std::back_inserter(added_));
  }
  wake();
  return nodes_.fetch_add(count);
}

void Loop::send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) {
  if (log_) log_->sent(nodes, message);
  hand_over(nodes, message);
}

void Loop::stop_all() {
  std::vector<std::uint32_t> nodes(nodes_);
  std::iota(nodes.begin(), nodes.end(), 0);
  hand_over(std::move(nodes), protocol::Stop{});
}

void Loop::hand_over(std::vector<std::uint32_t> nodes, const protocol::Message& message) {
  Outbox::Bytes frame = encoded(message);
  {
    const std::lock_guard lock(mutex_);
    outgoing_.emplace_back(std::move(nodes), std::move(frame));
  }
  wake();
}

void Loop::wake() const {
  eventfd_write(wake_.get(), 1);
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
  wake();
}

void Loop::run() {
  while (!stopping_) {
    start_waiting();
    wait();
    take_handed_over();
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
  std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
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
void Loop::take_handed_over() {
  eventfd_t ignored = 0;
  eventfd_read(wake_.get(), &ignored);
  std::vector<NodeLink> added;
  std::vector<Frame> outgoing;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
    outgoing.swap(outgoing_);
  }
  for (NodeLink& link : added)
    connections_.emplace_back(static_cast<std::uint32_t>(connections_.size()), std::move(link), context_);
  for (const auto& [nodes, frame] : outgoing)
    for (const std::uint32_t node : nodes) connections_[node].send(frame);
}

void Loop::ping() {
  if (Clock::now() < next_pings_) return;
  next_pings_ = Clock::now() + ping_interval(context_.options.lease);
  const std::uint64_t number = ++context_.pings;
  const Outbox::Bytes frame = encoded(protocol::Ping{number});
  for (NodeConnection& connection : connections_) connection.ping(number, frame);
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
