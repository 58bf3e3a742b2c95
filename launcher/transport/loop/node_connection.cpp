// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/node_connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <utility>

#include "base/describe.h"
#include "base/wall_clock.h"
#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/defaults.h"

namespace adarun::launcher {
namespace {

// Per turn, so that a node that sends without pause does not delay the others.
constexpr int most_reads = 16;

// The node's agent has ended, and what it ran, or it has never run anything.
constexpr std::chrono::milliseconds gone{0};

// The last message of an attempt.
bool is_last(const protocol::Message& message) {
  return std::holds_alternative<protocol::Done>(message) || std::holds_alternative<protocol::Ended>(message);
}

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

// What follows says why a node is lost, for LinkLost: one line for the user, without the node's name.

// Whether a login shell has not come to the command that starts the agent.
bool is_in_login_shell(const Link& link) {
  return link.step().starts_with(login_shell_step);
}

// Its status, and what the node printed if it was no agent that answered.
std::string ended_reason(Link& link, const protocol::FrameReader& reader) {
  std::string words = one_line(link.status_text());
  if (reader.opened()) return words.empty() ? "the agent hung up" : "the agent hung up: " + words;
  if (is_in_login_shell(link) && link.ended())
    words = "the " + std::string(link.step()) + " ended before it started the agent" +
            (words.empty() ? "" : "; ") + words;
  const std::string printed = one_line(reader.preamble());
  if (!printed.empty()) words += (words.empty() ? "" : "; ") + std::string("it printed: ") + printed;
  return words.empty() ? "no agent answered" : "no agent answered: " + words;
}

std::string unconnected_reason(Link& link, std::chrono::milliseconds timeout) {
  const std::string words = one_line(link.status_text());
  return "no connection within " + base::describe(timeout) + (words.empty() ? "" : ": " + words);
}

std::string unanswered_reason(Link& link, const protocol::FrameReader& reader,
                              std::chrono::milliseconds timeout, std::chrono::milliseconds step_time) {
  const std::string text = "the agent did not answer within " + base::describe(timeout) + ": ";
  if (!is_in_login_shell(link)) return text + ended_reason(link, reader);
  const std::string words = one_line(link.status_text());
  const std::string printed = one_line(reader.preamble());
  return text + "the " + std::string(link.step()) + " has run for " + base::describe(step_time) +
         " and not started it (what do its start-up files wait for?)" + (words.empty() ? "" : "; " + words) +
         (printed.empty() ? "" : "; it printed: " + printed);
}

std::string garbage_reason(Link* link, const std::string& found) {
  const std::string words = link == nullptr ? "" : one_line(link->status_text());
  return "the agent sent what is no frame of ours: " + found + (words.empty() ? "" : "; " + words);
}

// `link`: null if it is gone and no other one was found.
std::string silent_reason(const Link* link, const Reconnector& reconnector, std::chrono::milliseconds lease) {
  const std::string& cut = reconnector.cut_reason();
  std::string text = cut.empty() || link != nullptr ? "no sign of life for " + base::describe(lease)
                                                    : cut + "; no way back within " + base::describe(lease);
  if (!reconnector.reason().empty()) text += ": " + reconnector.reason();
  return text + " (is the node up, and the network to it? a longer --lease bridges longer cuts)";
}

std::string busy_reason(std::chrono::milliseconds limit) {
  return "its agent has not answered for " + base::describe(limit) +
         ", though the node acknowledges what it is sent (is the node overloaded, or short of memory?)";
}

// The notice of that after a silence of `silence`, for LinkCut.
std::string busy_text(std::chrono::milliseconds silence, std::chrono::milliseconds limit) {
  return "busy: its agent has not answered for " + base::describe(silence) +
         ", though the node acknowledges what it is sent; waiting for " + base::describe(limit - silence) +
         " more";
}

}  // namespace

void NodeConnection::start() {
  if (state_ != State::waiting) return;
  state_ = State::opening;
  due_ = true;
  deadline_ = Clock::now() + context_.options.connect_timeout;
}

void NodeConnection::send(Outbox::Bytes frame) {
  if (state_ == State::lost) return;
  stream_.send(std::move(frame));
  due_ = true;
  if (stream_.kept_bytes() > context_.options.most_kept_bytes)
    lose("its agent does not take in what it is sent", unheard());
}

void NodeConnection::ping(std::uint64_t number, Outbox::Bytes frame) {
  if (state_ != State::open || !link_ || stream_.has_unsent_frames()) return;
  acknowledge(FrameStream::Acknowledge::now);
  send_ping(number, std::move(frame));
}

void NodeConnection::send_ping(std::uint64_t number, Outbox::Bytes frame) {
  ping_ = number;
  pinged_ns_ = base::now_ns();
  stream_.send(std::move(frame));
  due_ = true;
}

void NodeConnection::acknowledge(FrameStream::Acknowledge when) {
  if (state_ != State::open || !link_ || stream_.is_acknowledged()) return;
  if (!stream_.acknowledge(context_.events.done_with(node_, stream_.reader().position()), when)) return;
  due_ = true;
  if (stream_.is_finished()) reconnector_.withdraw();
}

pollfd NodeConnection::link_poll() const {
  if (!has_link()) return {-1, 0, 0};
  const short wanted = link_->wanted();
  const bool held_back = state_ == State::open && !context_.reading;
  return {link_->fd(), static_cast<short>(held_back ? wanted & ~POLLIN : wanted), 0};
}

std::optional<pollfd> NodeConnection::reconnect_poll() const {
  if (!reconnector_.has_link()) return std::nullopt;
  return pollfd{reconnector_.fd(), reconnector_.wanted(), 0};
}

void NodeConnection::advance(std::size_t most_written) {
  due_ = false;
  if (!has_link()) return;
  try {
    if (state_ == State::opening) open();
    if (state_ == State::opening) return;
    const bool drained = (context_.reading || state_ == State::awaiting_hello) && receive();
    if (state_ == State::open && !context_.reading) link_->flush();
    if (drained && link_->ended()) {
      if (link_->status_text().find(all_is_ended) != std::string::npos) is_agent_gone_ = true;
      break_off(ended_reason(*link_, stream_.reader()));
    } else if (state_ == State::open && stream_.transmit(*link_, most_written)) {
      due_ = true;  // More may be left, and writing may also have received bytes.
    }
  } catch (const Error& error) {
    break_off(error.what());
  } catch (const protocol::Error& error) {
    lose(garbage_reason(link_.get(), error.what()), unheard());
  } catch (const std::exception& error) {
    lose(error.what(), unheard());
  }
}

void NodeConnection::open() {
  const bool opened = link_->open();
  for (std::string& remark : link_->take_remarks())
    context_.events.push({node_, LinkRemark{std::move(remark)}});
  if (opened) state_ = State::awaiting_hello;
  report_step();
}

void NodeConnection::report_step() {
  const std::string_view step = link_->step();
  if (step == step_) return;
  step_ = step;
  step_begun_ = Clock::now();
  context_.events.push({node_, LinkStep{step_, base::now_ns()}});
}

// True once nothing is left to be read.
bool NodeConnection::receive() {
  std::array<char, 65536> buffer;
  bool has_room = deliver();
  for (int reads = 0; has_room && reads < most_reads; ++reads) {
    const std::size_t size = link_->read(buffer);
    if (state_ == State::awaiting_hello) report_step();
    if (size == 0) return true;
    due_ = true;
    stream_.feed({buffer.data(), size});
    if (state_ == State::open) renew_lease();
    has_room = deliver();
  }
  excuse_unread();
  due_ = true;
  return false;
}

// True if there is room for more. A frame of few bytes may unpack to many: each is taken out of the stream
// only when there is room for it.
bool NodeConnection::deliver() {
  while (state_ == State::awaiting_hello || !context_.events.full()) {
    auto message = stream_.next();
    if (!message) return true;
    if (state_ == State::awaiting_hello) take_hello(*message);
    take(std::move(*message));
  }
  return false;
}

void NodeConnection::take_hello(const protocol::Message& message) {
  if (!std::holds_alternative<protocol::Hello>(message)) throw protocol::Error("something before its Hello");
  state_ = State::open;
  deadline_ = Clock::now() + context_.options.lease;
  if (std::string printed = stream_.reader().preamble(); !printed.empty())
    context_.events.push({node_, LinkPreamble{std::move(printed)}});
  const std::uint64_t number = ++context_.pings;
  send_ping(number, encoded(protocol::Ping{number}));  // To read its clock even in the shortest job.
}

// Messages between agent and loop only are not passed on.
void NodeConnection::take(protocol::Message message) {
  if (const auto* pong = std::get_if<protocol::Pong>(&message)) {
    if (pong->sequence == ping_)
      context_.events.push({node_, ClockReading{pong->time_ns, pinged_ns_, base::now_ns()}});
  } else if (const auto* received = std::get_if<protocol::Received>(&message)) {
    stream_.confirm_sent(received->position);
  } else if (const auto* rendezvous = std::get_if<protocol::Rendezvous>(&message)) {
    reconnector_.offer(rendezvous->command);
  } else {
    if (is_last(message)) stream_.note_done();
    if (std::holds_alternative<protocol::Hello>(message)) stream_.note_hello();
    context_.events.push({node_, std::move(message)}, stream_.reader().position());
  }
}

void NodeConnection::renew_lease() {
  resumed_at_.reset();
  deadline_ = Clock::now() + context_.options.lease;
  if (std::exchange(busy_, false) && reconnector_.cut_reason().empty())
    context_.events.push({node_, LinkResumed{}});
  reconnector_.confirm();
}

// A resumed link that has lasted is a sign of life: of the time at which the agent answered on it.
void NodeConnection::confirm_if_lasting(Clock::time_point now) {
  if (!link_ || !resumed_at_ || now < *resumed_at_ + Reconnector::longest_pause) return;
  deadline_ = std::max(deadline_, *resumed_at_ + context_.options.lease);
  resumed_at_.reset();
  if (!reconnector_.is_searching()) reconnector_.confirm();
}

void NodeConnection::excuse(Clock::duration late) {
  deadline_ += late;
  if (resumed_at_) *resumed_at_ += late;
}

void NodeConnection::excuse_silence() {
  const LinkOptions& options = context_.options;
  deadline_ = Clock::now() + (state_ == State::open ? options.lease : options.connect_timeout);
}

void NodeConnection::excuse_unread() {
  if (state_ == State::open && link_) deadline_ = Clock::now() + context_.options.lease;
}

void NodeConnection::check_silence(Clock::time_point polled_at) {
  if (state_ == State::waiting || state_ == State::lost) return;
  if (state_ == State::open) return check_open(polled_at);
  const LinkOptions& options = context_.options;
  if (polled_at < deadline_) return;
  if (state_ == State::opening)
    lose(unconnected_reason(*link_, options.connect_timeout), gone);
  else
    lose(unanswered_reason(*link_, stream_.reader(), options.connect_timeout,
                           std::chrono::duration_cast<std::chrono::milliseconds>(polled_at - step_begun_)),
         gone);
}

// A silent link may be a cut network: another link is tried beside it. If the node acknowledges what it is
// sent, it is none, and another link would only be more work for that node.
void NodeConnection::check_open(Clock::time_point polled_at) {
  const std::chrono::milliseconds lease = context_.options.lease;
  const std::chrono::milliseconds timeout = silence_of_cut(lease);
  confirm_if_lasting(polled_at);
  Clock::time_point heard = deadline_ - lease;
  if (link_ && resumed_at_) heard = std::max(heard, *resumed_at_);
  if (polled_at < heard + timeout) return;
  if (link_ && link_->is_acknowledged()) {
    acknowledged_at_ = polled_at;
    if (polled_at >= heard + busy_limit(lease)) return lose(busy_reason(busy_limit(lease)), unheard());
    if (!std::exchange(busy_, true) && reconnector_.cut_reason().empty())
      context_.events.push({node_, LinkCut{busy_text(timeout, busy_limit(lease)), LinkCut::Kind::busy}});
    return;
  }
  if (reconnector_.is_possible() && !reconnector_.is_searching())
    reconnector_.begin("no sign of life for " + base::describe(timeout), Clock::now());
  if (polled_at >= std::max(heard, acknowledged_at_) + lease)
    lose(silent_reason(link_.get(), reconnector_, lease),
         busy_ || resumed_at_ ? unheard() : runs_on_after_silence(lease));
}

void NodeConnection::reconnect() {
  if (!reconnector_.is_searching()) return;
  switch (reconnector_.advance(Clock::now())) {
    case Reconnector::State::trying:
      return;
    case Reconnector::State::resumed:
      return resume();
    // Its cut reason may contain the agent's last output.
    case Reconnector::State::gone:
      return lose(reconnector_.cut_reason(), gone);
    case Reconnector::State::refused:
      return lose(reconnector_.cut_reason(), is_agent_gone_ ? gone : unheard());
  }
}

void NodeConnection::resume() {
  try {
    is_agent_gone_ = false;
    const std::string rest = reconnector_.take_rest();
    stream_.resume(reconnector_.position(), rest);
    context_.closing.add(std::exchange(link_, reconnector_.take_link()));
    due_ = true;
    resumed_at_ = Clock::now();
    if (!rest.empty()) renew_lease();
    deliver();
  } catch (const std::exception& error) {
    lose(error.what(), unheard());
  }
}

void NodeConnection::break_off(const std::string& reason) {
  if (state_ != State::open || !reconnector_.is_possible())
    return lose(reason, is_agent_gone_ ? gone : unheard());
  confirm_if_lasting(Clock::now());
  context_.closing.add(std::move(link_));
  reconnector_.begin(reason, Clock::now());
}

void NodeConnection::lose(const std::string& reason, std::chrono::milliseconds runs_on) {
  state_ = State::lost;
  if (link_)
    for (std::string& remark : link_->take_remarks())
      context_.events.push({node_, LinkRemark{std::move(remark)}});
  hang_up();
  stream_.clear();
  context_.events.push({node_, LinkLost{reason, runs_on}});
}

// How long what the node runs may continue, as its agent may be there and not know yet that it is lost.
std::chrono::milliseconds NodeConnection::unheard() const {
  return std::max(context_.options.lease, runs_on_unheard(context_.options.lease));
}

void NodeConnection::flush() {
  acknowledge(FrameStream::Acknowledge::now);
  if (state_ == State::open) advance(std::numeric_limits<std::size_t>::max());
}

void NodeConnection::hang_up() {
  reconnector_.cancel();
  context_.closing.add(std::move(link_));
}

}  // namespace adarun::launcher
