// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "adasum/sockets/link.h"
#include "adasum/sockets/tcp.h"

namespace adasum::sockets {
namespace {

constexpr std::size_t drop_bytes = 65'536;     // read at a time where nobody wants them
constexpr std::size_t first_room = 65'536;     // of memory for a message, before any of it has come
constexpr std::size_t tagged_bytes = 262'144;  // at a time: the cache still has them when they are copied
constexpr const char* changed = "a message of it was changed on the way";

}  // namespace

Connection::Header Connection::header_of(Kind kind, std::uint32_t number, std::uint64_t length) {
  Header header{};
  put_number(header.data(), number);
  put_number(header.data() + 4, static_cast<std::uint32_t>(kind));
  put_number(header.data() + 8, length);
  if (link_.tags)
    std::ranges::copy(link_.tags->sent.begin(std::span(header).first(header_bytes)),
                      header.begin() + header_bytes);
  return header;
}

void Connection::post(Send& send) {
  sends_.push_back(&send);
  if (sends_.size() == 1) write();
}

void Connection::post(Receive& receive) {
  if (give_kept(receive) || give_arriving(receive)) return continue_with_held();
  awaited_[receive.world].push_back(&receive);
  continue_with_held();
}

bool Connection::give_kept(Receive& receive) {
  const auto kept = kept_.find(receive.world);
  if (kept == kept_.end()) return false;
  give(receive, kept->second.front());
  kept_bytes_ -= kept->second.front().size() + kept_overhead;
  kept->second.pop_front();
  if (kept->second.empty()) kept_.erase(kept);
  return true;
}

bool Connection::give_arriving(Receive& receive) {
  if (!arrival_ || arrival_->world != receive.world || arrival_->receive != nullptr || arrival_->dropped ||
      awaited_.contains(receive.world))
    return false;
  const std::vector<std::byte> kept = std::exchange(arrival_->kept, {});
  kept_bytes_ -= arrival_->length + kept_overhead;
  assign(receive);
  if (arrival_->receive != nullptr) std::copy_n(kept.begin(), arrival_->got, receive.bytes.begin());
  return true;
}

// Has the arriving message go to `receive`, unless their lengths differ.
void Connection::assign(Receive& receive) {
  if (receive.bytes.size() == arrival_->length) {
    arrival_->receive = &receive;
    return;
  }
  receive.other_length = arrival_->length;
  receive.done = true;
  arrival_->dropped = true;
}

bool Connection::progress() {
  const bool wrote = write();
  const bool got = read();
  return wrote || got;
}

void Connection::leave() {
  say(Kind::leave, 0);
}

void Connection::give_up(int culprit) {
  say(Kind::give_up, static_cast<std::uint32_t>(culprit));
  lose("its connection was given up");
  sends_.clear();
  outgoing_.reset();
  awaited_.clear();
  arrival_.reset();
  if (socket()) ::shutdown(socket().get(), SHUT_RDWR);
}

// A header alone; not in the middle of a message, which the other side would take it for.
void Connection::say(Kind kind, std::uint32_t number) {
  if (!socket() || state_ != State::open || !sends_.empty()) return;
  try {
    const Header header = header_of(kind, number, 0);
    write_some(socket().get(), std::span(header).first(size_of_header()), {});
  } catch (const ConnectionLost&) {  // nobody is there to be told
  }
}

bool Connection::write() {
  bool any = false;
  try {
    while (state_ == State::open && !sends_.empty()) {
      Send& send = *sends_.front();
      if (!outgoing_) outgoing_ = {header_of(Kind::message, send.world, send.bytes.size())};
      const std::size_t before = send.written;
      const bool took_all = write_part(send);
      any = any || send.written > before;
      if (send.written == size_of_header() + send.bytes.size() + size_of_tag(send.bytes.size())) {
        send.done = true;
        sends_.pop_front();
        outgoing_.reset();
      } else if (!took_all) {
        break;
      }
    }
  } catch (const ConnectionLost& lost) {
    read();  // What the other side said before, such as that it gave up.
    lose(lost.what());
  }
  return any;
}

// Returns whether the system took all that it was given.
bool Connection::write_part(Send& send) {
  const std::size_t of_header = std::min(send.written, size_of_header());
  const std::size_t of_bytes = std::min(send.written - of_header, send.bytes.size());
  const std::size_t of_tag = send.written - of_header - of_bytes;
  if (of_bytes == outgoing_->tagged) tag_more(send);
  const bool is_tagged = outgoing_->tagged == send.bytes.size();
  const auto header = std::span(outgoing_->header).first(size_of_header()).subspan(of_header);
  const auto bytes = send.bytes.subspan(of_bytes, outgoing_->tagged - of_bytes);
  const auto tag =
      std::span(outgoing_->tag).first(is_tagged ? size_of_tag(send.bytes.size()) : 0).subspan(of_tag);
  const std::size_t written = write_some(socket().get(), header, bytes, tag);
  send.written += written;
  return written == header.size() + bytes.size() + tag.size();
}

void Connection::tag_more(const Send& send) {
  const std::span<const std::byte> left = send.bytes.subspan(outgoing_->tagged);
  if (left.empty()) return;
  const std::size_t more = link_.tags ? std::min(left.size(), tagged_bytes) : left.size();
  outgoing_->tagged += more;
  if (!link_.tags) return;
  link_.tags->sent.add(left.first(more));
  if (more == left.size()) outgoing_->tag = link_.tags->sent.end();
}

bool Connection::read() {
  bool any = false;
  try {
    while (wants_to_read() && (arrival_ ? read_body() : read_header())) any = true;
  } catch (const ConnectionLost& lost) {
    lose(lost.what());
  }
  return any;
}

// Returns whether any byte came, as read_body() does.
bool Connection::read_header() {
  const std::size_t got =
      read_some(socket().get(), std::span(header_).first(size_of_header()).subspan(header_got_));
  header_got_ += got;
  if (header_got_ < size_of_header()) return got > 0;
  header_got_ = 0;
  if (link_.tags) {
    Tag tag{};
    std::copy_n(header_.begin() + header_bytes, tag.size(), tag.begin());
    if (!same(tag, link_.tags->received.begin(std::span(header_).first(header_bytes)))) {
      lose(changed);
      return true;
    }
  }
  const auto number = number_at<std::uint32_t>(header_.data());
  switch (static_cast<Kind>(number_at<std::uint32_t>(header_.data() + 4))) {
    case Kind::message:
      begin(number, number_at<std::uint64_t>(header_.data() + 8));
      return true;
    case Kind::leave:
      state_ = State::left;
      return true;
    case Kind::give_up:
      culprit_ = static_cast<int>(number);
      lose("it gave up");
      return true;
  }
  lose("it sent a header that is none");
  return true;
}

void Connection::begin(std::uint32_t world, std::uint64_t length) {
  Receive* const receive = take_awaited(world);
  const std::size_t used = kept_bytes_ + kept_overhead;
  if (receive == nullptr && (used > most_kept_ || length > most_kept_ - used)) {
    held_ = {world, length};
    return;
  }
  arrival_ = {.world = world, .length = static_cast<std::size_t>(length), .kept = {}};
  if (receive != nullptr) {
    assign(*receive);
  } else {
    kept_bytes_ += arrival_->length + kept_overhead;
  }
  if (arrival_->length == 0) complete();
}

// What is held may be asked for by now, or there may be room for it.
void Connection::continue_with_held() {
  if (!held_) return;
  const Held held = *held_;
  held_.reset();
  begin(held.world, held.length);
}

Receive* Connection::take_awaited(std::uint32_t world) {
  const auto awaited = awaited_.find(world);
  if (awaited == awaited_.end()) return nullptr;
  Receive* const receive = awaited->second.front();
  awaited->second.pop_front();
  if (awaited->second.empty()) awaited_.erase(awaited);
  return receive;
}

bool Connection::read_body() {
  Arrival& arrival = *arrival_;
  std::array<std::byte, drop_bytes> nowhere;
  const std::span<std::byte> room = room_for(arrival, nowhere);
  const bool is_last = arrival.got + room.size() == arrival.length;
  const std::size_t size = is_last ? size_of_tag(arrival.length) : 0;
  const std::size_t got =
      read_some(socket().get(), room, std::span(arrival.tag).first(size).subspan(arrival.got_of_tag));
  const std::size_t of_bytes = std::min(got, room.size());
  if (link_.tags) link_.tags->received.add(room.first(of_bytes));
  arrival.got += of_bytes;
  arrival.got_of_tag += got - of_bytes;
  if (!is_last || arrival.got < arrival.length || arrival.got_of_tag < size) return got > 0;
  if (size == 0 || same(arrival.tag, link_.tags->received.end()))
    complete();
  else
    lose(changed);
  return true;
}

// Where the next bytes of a message go; empty if only its tag is missing.
std::span<std::byte> Connection::room_for(Arrival& arrival, std::span<std::byte> nowhere) const {
  const std::size_t left = arrival.length - arrival.got;
  const std::size_t most = link_.tags ? std::min(left, tagged_bytes) : left;
  if (arrival.dropped) return nowhere.first(std::min(left, nowhere.size()));
  if (arrival.receive != nullptr) return arrival.receive->bytes.subspan(arrival.got, most);
  if (arrival.got == arrival.kept.size())
    arrival.kept.resize(std::min(arrival.length, std::max(2 * arrival.got, first_room)));
  return std::span(arrival.kept).subspan(arrival.got, std::min(most, arrival.kept.size() - arrival.got));
}

void Connection::complete() {
  Arrival arrival = std::move(*arrival_);
  arrival_.reset();
  if (arrival.dropped) return;
  if (arrival.receive != nullptr) {
    arrival.receive->done = true;
    return;
  }
  Receive* const receive = take_awaited(arrival.world);
  if (receive == nullptr) {
    kept_[arrival.world].push_back(std::move(arrival.kept));
    return;
  }
  kept_bytes_ -= arrival.length + kept_overhead;
  give(*receive, arrival.kept);
}

void Connection::give(Receive& receive, std::span<const std::byte> message) {
  if (message.size() != receive.bytes.size()) {
    receive.other_length = message.size();
  } else {
    std::ranges::copy(message, receive.bytes.begin());
  }
  receive.done = true;
}

void Connection::lose(std::string reason) {
  if (state_ != State::open) return;
  state_ = State::lost;
  reason_ = std::move(reason);
}

}  // namespace adasum::sockets
