// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/loop.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/describe.h"
#include "base/quiet_thread.h"
#include "base/wall_clock.h"
#include "launcher/base/error.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds poll_interval{100};
constexpr int pings_per_lease = 5;
// Of one node in a turn, so that a node that sends without end leaves the others theirs.
constexpr int most_reads = 16;
constexpr std::chrono::milliseconds longest_between_pings{2'000};
// How long agents on this machine may take to end, all together, before they are left to themselves.
constexpr std::chrono::milliseconds farewell{1'000};
constexpr std::chrono::milliseconds farewell_beat{2};

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

Loop::Loop(std::vector<std::unique_ptr<Link>> links, const LinkOptions& options, Relink relink)
    : options_(options),
      relink_(std::move(relink)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      next_ping_(Clock::now()) {
  if (!wake_) throw Error("cannot make an event descriptor");
  for (std::unique_ptr<Link>& link : links) lanes_.emplace_back().link = std::move(link);
  thread_ = base::start_quiet_thread([this] { run(); });
}

Loop::~Loop() {
  stopping_ = true;
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Loop::send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) {
  auto bytes = std::make_shared<const std::string>(protocol::encode(message));
  const std::lock_guard lock(outgoing_mutex_);
  outgoing_.emplace_back(nodes, std::move(bytes));
  eventfd_write(wake_.get(), 1);
}

// The thread, which stands still as well, may wake before its deadlines are put off or after.
void Loop::take_silence(Silence silence) {
  excuse_ = true;
  silence_ = silence;
  eventfd_write(wake_.get(), 1);
}

void Loop::run() {
  while (!stopping_) {
    start_waiting();
    poll_once();
    take_outgoing();
    ping();
    const bool was_reading = std::exchange(reading_, !events_.full());
    for (std::uint32_t node = 0; node < lanes_.size(); ++node) {
      acknowledge(node, false);
      if (lanes_[node].reconnector) come_back(node);
    }
    advance_all();
    excuse_silence();
    check_deadlines(was_reading && reading_);
    see_off();
  }
  hang_up();
}

void Loop::see_off() {
  std::erase_if(leaving_, [](const std::unique_ptr<Link>& link) { return link->leave(); });
}

void Loop::hang_up() {
  events_.finish();
  for (std::uint32_t node = 0; node < lanes_.size(); ++node) {
    acknowledge(node, true);
    if (lanes_[node].state == State::open) advance(node);
  }
  for (Lane& lane : lanes_) {
    lane.reconnector.reset();
    if (lane.link) leaving_.push_back(std::move(lane.link));
  }
  const Clock::time_point deadline = Clock::now() + farewell;
  for (see_off(); !leaving_.empty() && Clock::now() < deadline; see_off())
    std::this_thread::sleep_for(farewell_beat);
}

void Loop::start_waiting() {
  auto opening = std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.state == State::opening || lane.state == State::greeting;
  });
  for (Lane& lane : lanes_) {
    if (opening >= options_.fanout) return;
    if (lane.state != State::waiting) continue;
    lane.state = State::opening;
    lane.due = true;
    lane.deadline = Clock::now() + options_.connect_timeout;
    ++opening;
  }
}

void Loop::poll_once() {
  std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}};
  std::chrono::milliseconds timeout = poll_interval;
  for (const Lane& lane : lanes_) {
    const bool alive = lane.link && lane.state != State::waiting && lane.state != State::gone;
    short wanted = alive ? lane.link->wanted() : short{0};
    if (!reading_ && lane.state == State::open) wanted = static_cast<short>(wanted & ~POLLIN);
    polled.push_back({alive ? lane.link->fd() : -1, wanted, 0});
    if (alive && polled.back().fd < 0) timeout = std::min(timeout, std::chrono::milliseconds(1));
    if (alive && lane.due && reading_) timeout = std::chrono::milliseconds(0);
  }
  for (const Lane& lane : lanes_)
    if (lane.reconnector && !lane.reconnector->pausing()) {
      polled.push_back({lane.reconnector->fd(), lane.reconnector->wanted(), 0});
      if (polled.back().fd < 0) timeout = std::min(timeout, std::chrono::milliseconds(1));
    }
  looked_at_ = Clock::now();
  poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
  eventfd_t ignored = 0;
  eventfd_read(wake_.get(), &ignored);
  const bool beat = Clock::now() >= next_beat_;
  if (beat) next_beat_ = Clock::now() + poll_interval;
  for (std::size_t node = 0; node < lanes_.size(); ++node)
    lanes_[node].due = lanes_[node].due || beat || polled[node + 1].fd < 0 || polled[node + 1].revents != 0;
}

void Loop::take_outgoing() {
  const std::lock_guard lock(outgoing_mutex_);
  for (const auto& [nodes, bytes] : outgoing_)
    for (const std::uint32_t node : nodes) {
      if (lanes_[node].state == State::gone) continue;
      lanes_[node].outgoing.add(bytes);
      lanes_[node].due = true;
      if (lanes_[node].outgoing.kept_bytes() > options_.most_kept_bytes)
        lose(node, "its agent does not take in what it is sent");
    }
  outgoing_.clear();
}

// Where one node's output fills the queue, the next turn begins behind it, so that the others get theirs.
void Loop::advance_all() {
  const auto count = static_cast<std::uint32_t>(lanes_.size());
  const std::uint32_t first = first_;
  bool was_full = events_.full();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t node = (first + i) % count;
    if (lanes_[node].due) advance(node);
    if (!was_full && events_.full()) first_ = (node + 1) % count;
    was_full = was_full || events_.full();
  }
}

void Loop::advance(std::uint32_t node) {
  Lane& lane = lanes_[node];
  lane.due = false;
  if (!lane.link || lane.state == State::waiting || lane.state == State::gone) return;
  try {
    if (lane.state == State::opening) open(node, lane);
    if (lane.state != State::greeting && lane.state != State::open) return;
    const bool drained = (reading_ || lane.state == State::greeting) && receive(node, lane);
    if (drained && lane.link->ended()) {
      break_off(node, ending(lane));
    } else if (lane.state == State::open) {
      transmit(lane);
    }
  } catch (const Error& error) {
    break_off(node, error.what());
  } catch (const protocol::Error& error) {
    lose(node, std::string("the agent sent what is no frame of ours: ") + error.what());
  } catch (const std::exception& error) {
    lose(node, error.what());
  }
}

void Loop::open(std::uint32_t node, Lane& lane) {
  const bool opened = lane.link->open();
  for (std::string& remark : lane.link->take_remarks()) events_.push({node, LinkRemark{std::move(remark)}});
  if (opened) lane.state = State::greeting;
  const std::string_view step = opened ? "start the agent" : lane.link->step();
  if (step == lane.step) return;
  lane.step = step;
  events_.push({node, LinkStep{std::string(step), base::now_ns()}});
}

bool Loop::receive(std::uint32_t node, Lane& lane) {
  std::array<char, 65536> buffer;
  bool has_room = deliver(node, lane);
  for (int reads = 0; has_room && reads < most_reads; ++reads) {
    const std::size_t size = lane.link->read(buffer);
    if (size == 0) return true;
    lane.due = true;
    lane.reader.feed({buffer.data(), size});
    if (lane.state == State::open) hear(node);
    has_room = deliver(node, lane);
  }
  // What has not been read may be a proof of life.
  if (lane.state == State::open) lane.deadline = Clock::now() + options_.lease;
  lane.due = true;
  return false;
}

// Whether there is room for more. Of few bytes a frame may unpack to many: each is taken out of the reader
// only where there is room for it.
bool Loop::deliver(std::uint32_t node, Lane& lane) {
  while (lane.state == State::greeting || !events_.full()) {
    auto message = lane.reader.next();
    if (!message) return true;
    if (lane.state == State::greeting) {
      if (!std::holds_alternative<protocol::Hello>(*message))
        throw protocol::Error("something before its Hello");
      lane.state = State::open;
      lane.deadline = Clock::now() + options_.lease;
      const protocol::Ping first{++ping_sequence_};  // Its clock is to be known however soon the job is over.
      send_ping(lane, first, std::make_shared<const std::string>(protocol::encode(first)));
    }
    take(node, lane, std::move(*message));
  }
  return false;
}

void Loop::take(std::uint32_t node, Lane& lane, protocol::Message message) {
  const auto* pong = std::get_if<protocol::Pong>(&message);
  if (pong == nullptr) {
    if (!keep_for_itself(lane, message)) events_.push({node, std::move(message)}, lane.reader.position());
  } else if (pong->sequence == lane.ping.sequence) {
    events_.push({node, ClockReading{pong->time_ns, lane.pinged_ns, base::now_ns()}});
  }
}

void Loop::transmit(Lane& lane) {
  while (!lane.preface.empty() || !lane.outgoing.empty()) {
    const std::size_t size = lane.link->write(lane.preface.empty() ? lane.outgoing.next() : lane.preface);
    if (size == 0) return;
    if (lane.preface.empty())
      lane.outgoing.sent(size);
    else
      lane.preface.erase(0, size);
    lane.due = true;  // Writing may have taken in what is to be read.
  }
}

// A message that waits is a proof of life already, so nothing is added to it.
void Loop::ping() {
  if (Clock::now() < next_ping_) return;
  next_ping_ = Clock::now() +
               std::min<std::chrono::milliseconds>(options_.lease / pings_per_lease, longest_between_pings);
  const protocol::Ping ping{++ping_sequence_};
  const auto frame = std::make_shared<const std::string>(protocol::encode(ping));
  for (std::uint32_t node = 0; node < lanes_.size(); ++node) {
    Lane& lane = lanes_[node];
    if (lane.state != State::open || !lane.link || !lane.outgoing.empty()) continue;
    acknowledge(node, true);
    send_ping(lane, ping, frame);
  }
}

void Loop::send_ping(Lane& lane, const protocol::Ping& ping,
                     const std::shared_ptr<const std::string>& frame) {
  lane.ping = ping;
  lane.pinged_ns = base::now_ns();
  lane.outgoing.add(frame);
  lane.due = true;
}

void Loop::excuse_silence() {
  const bool excused = silence_ == Silence::excused;  // Before excuse_, which is set before it.
  if (!excuse_.exchange(false) && !excused) return;
  for (Lane& lane : lanes_)
    lane.deadline = Clock::now() + (lane.state == State::open ? options_.lease : options_.connect_timeout);
}

// By when links were looked at last, not by now: should we have been stopped since, what came meanwhile is
// read first.
void Loop::check_deadlines(bool reading) {
  for (std::uint32_t node = 0; node < lanes_.size(); ++node) {
    Lane& lane = lanes_[node];
    if (lane.state == State::waiting || lane.state == State::gone) continue;
    if (lane.state == State::open && lane.link && !reading) lane.deadline = Clock::now() + options_.lease;
    if (lane.state == State::open) doubt(node);
    if (looked_at_ < lane.deadline) continue;
    if (lane.state == State::open) {
      lose(node, ending_of_lease(lane));
    } else if (lane.state == State::opening) {
      const std::string words = one_line(lane.link->status_text());
      lose(node, "no connection within " + base::describe(options_.connect_timeout) +
                     (words.empty() ? "" : ": " + words));
    } else {
      lose(node, "the agent did not answer within " + base::describe(options_.connect_timeout) + ": " +
                     ending(lane));
    }
  }
}

void Loop::lose(std::uint32_t node, const std::string& reason) {
  Lane& lane = lanes_[node];
  lane.state = State::gone;
  if (lane.link) {
    for (std::string& remark : lane.link->take_remarks()) events_.push({node, LinkRemark{std::move(remark)}});
    leaving_.push_back(std::move(lane.link));
  }
  lane.reconnector.reset();
  lane.outgoing.clear();
  events_.push({node, LinkLost{reason}});
}

std::string Loop::ending(Lane& lane) const {
  std::string words = one_line(lane.link->status_text());
  if (lane.reader.opened()) return words.empty() ? "the agent hung up" : "the agent hung up: " + words;
  const std::string printed = one_line(lane.reader.preamble());
  if (!printed.empty()) words += (words.empty() ? "" : "; ") + std::string("it printed: ") + printed;
  return words.empty() ? "no agent answered" : "no agent answered: " + words;
}

}  // namespace adarun::launcher
