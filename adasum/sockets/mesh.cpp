// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/mesh.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "adasum/communicators/fiber.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

constexpr int aborted = -1;  // stands for a rank in what epoll reports
constexpr int most_events = 64;
constexpr int looks = 4;                                  // for silence, in that time
constexpr std::chrono::milliseconds abort_interval{100};  // between looks of a rank that does not wait

}  // namespace

/// The messages of one call. If it ends by an error, the mesh must break off: connections borrow them.
class Mesh::Transfer {
 public:
  explicit Transfer(Mesh& mesh) : mesh_(mesh) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void post(std::uint32_t world, std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
    to_.reserve(outgoing.size());
    from_.reserve(incoming.size());
    for (const Incoming& message : incoming) {
      from_.push_back({message.peer, {.world = world, .bytes = message.bytes, .other_length = {}}});
      mesh_.of(message.peer).post(from_.back().message);
      mesh_.watch(message.peer);
    }
    for (const Outgoing& message : outgoing) {
      to_.push_back({message.peer, {.world = world, .bytes = message.bytes}});
      mesh_.of(message.peer).post(to_.back().message);
      mesh_.watch(message.peer);
    }
  }

  bool done() {
    while (sent_ < to_.size() && to_[sent_].message.done) ++sent_;
    while (received_ < from_.size() && from_[received_].message.done) {
      const auto& [peer, receive] = from_[received_++];
      if (!receive.other_length) continue;
      throw Error(mesh_.names().name(mesh_.rank()) + " waiting for " + mesh_.names().name(peer) + ": got " +
                  std::to_string(*receive.other_length) + " bytes, wanted " +
                  std::to_string(receive.bytes.size()));
    }
    return sent_ == to_.size() && received_ == from_.size();
  }

  /// Reads what has come for it, without asking epoll first.
  bool progress() {
    bool any = false;
    for (std::size_t i = received_; i < from_.size(); ++i) {
      if (!from_[i].message.done) any = mesh_.of(from_[i].peer).progress() || any;
    }
    return any;
  }

  /// A peer from which, or to which, nothing is done.
  int awaited() const { return received_ < from_.size() ? from_[received_].peer : to_[sent_].peer; }

  void throw_if_a_peer_left() const {
    const auto check = [this](int peer) {
      if (mesh_.of(peer).state() == Connection::State::left) mesh_.lose(peer, "it has left");
    };
    for (const auto& [peer, receive] : from_) {
      if (!receive.done) check(peer);
    }
    for (const auto& [peer, send] : to_) {
      if (!send.done) check(peer);
    }
  }

 private:
  template <typename Message>
  struct Posted {
    int peer;
    Message message;
  };

  Mesh& mesh_;
  std::vector<Posted<Send>> to_;
  std::vector<Posted<Receive>> from_;
  std::size_t sent_ = 0;      // the first so many are done
  std::size_t received_ = 0;  // likewise
};

Mesh::Mesh(int rank, std::vector<Link> connections, const MeshOptions& options)
    : rank_(rank),
      options_(options),
      watched_(connections.size(), 0),
      silent_looks_(connections.size(), 0),
      kept_from_children_(connections),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      culprit_(rank) {
  if (!epoll_) throw Error("no epoll instance");
  const auto add = [&](int descriptor, int number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = number;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
      throw Error("epoll refuses a descriptor: " + std::generic_category().message(errno));
  };
  for (std::size_t peer = 0; peer < connections.size(); ++peer) {
    connections_.push_back(std::make_unique<Connection>(std::move(connections[peer]), options.most_kept));
    if (static_cast<int>(peer) == rank_) continue;
    add(connections_.back()->socket().get(), static_cast<int>(peer));
    watched_[peer] = EPOLLIN;
  }
  if (options_.abort_descriptor >= 0) add(options_.abort_descriptor, aborted);
}

Mesh::~Mesh() {
  for (const auto& connection : connections_) connection->leave();
}

Connection& Mesh::of(int peer) {
  if (peer < 0 || peer >= size() || peer == rank_)
    throw Error(names().name(peer) + ": not another rank of a world of " + std::to_string(size()) + " ranks");
  return *connections_[static_cast<std::size_t>(peer)];
}

void Mesh::transfer(std::uint32_t world, std::span<const Outgoing> outgoing,
                    std::span<const Incoming> incoming) {
  if (failure_) std::rethrow_exception(failure_);
  for (const Outgoing& message : outgoing) of(message.peer);
  for (const Incoming& message : incoming) of(message.peer);
  Transfer transfer(*this);
  try {
    throw_if_lost();
    throw_if_aborted();
    transfer.post(world, outgoing, incoming);
    wait_for(transfer);
  } catch (const std::exception&) {
    break_off(std::current_exception());
    throw;
  } catch (...) {  // the fiber is unwound
    give_up();
    throw;
  }
}

void Mesh::wait_for(Transfer& transfer) {
  const auto look_again = static_cast<int>(options_.silence.count() / looks);
  Deadline deadline(options_.deadline);
  while (!transfer.done()) {
    bool moved = transfer.progress();
    if (transfer.done()) return;
    if (Fiber::inside()) {
      moved = poll(0) || moved;
      if (transfer.done()) return;
    }
    throw_if_lost();
    transfer.throw_if_a_peer_left();
    if (moved) deadline = Deadline(options_.deadline);
    if (Fiber::pause()) {
      if (failure_) std::rethrow_exception(failure_);
      deadline = Deadline(options_.deadline);
      continue;
    }
    const auto began = std::chrono::steady_clock::now();
    const int most_ms = std::min(deadline.left_ms(), look_again);
    if (poll(most_ms) || was_stopped(began, std::chrono::milliseconds(most_ms))) {
      deadline = Deadline(options_.deadline);
    } else if (!transfer.done()) {
      look_for_silence();
      if (deadline.passed())
        lose(transfer.awaited(), "no byte moved in " + std::to_string(options_.deadline.count()) + " ms");
    }
  }
}

// Returns whether any byte moved.
bool Mesh::poll(int timeout_ms) {
  std::array<epoll_event, most_events> events;
  const int count = ::epoll_wait(epoll_.get(), events.data(), most_events, timeout_ms);
  bool moved = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == aborted) throw_ended_from_outside();
    Connection& connection = of(event.data.fd);
    moved = connection.progress() || moved;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) connection.lose("its end of the connection is closed");
    watch(event.data.fd);
  }
  return moved;
}

// Asks epoll for room to write only while something is to be written, and for bytes only while there is room
// for them; for nothing once the other side is gone.
void Mesh::watch(int peer) {
  const auto index = static_cast<std::size_t>(peer);
  Connection& connection = *connections_[index];
  if (connection.state() != Connection::State::open) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, connection.socket().get(), nullptr);
    return;
  }
  epoll_event event{};
  if (connection.wants_to_read()) event.events |= EPOLLIN;
  if (connection.wants_to_write()) event.events |= EPOLLOUT;
  if (event.events == watched_[index]) return;
  watched_[index] = event.events;
  event.data.fd = peer;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.socket().get(), &event);
}

// A single look may come between a question to the other machine and its answer.
void Mesh::look_for_silence() {
  for (std::size_t peer = 0; peer < connections_.size(); ++peer) {
    Connection& connection = *connections_[peer];
    if (!connection.socket() || connection.state() != Connection::State::open) continue;
    const bool silent = unanswered_for(connection.socket().get()) > options_.silence;
    silent_looks_[peer] = silent ? silent_looks_[peer] + 1 : 0;
    if (silent_looks_[peer] == 2) connection.lose("its machine does not answer");
  }
  throw_if_lost();
}

Mesh::LostPeers Mesh::lost_peers() const {
  LostPeers lost;
  for (int peer = 0; peer < size(); ++peer) {
    const Connection& connection = *connections_[static_cast<std::size_t>(peer)];
    if (connection.state() != Connection::State::lost) continue;
    std::optional<int>& first = connection.culprit()               ? lost.gave_up
                                : connection.is_between_messages() ? lost.ended
                                                                   : lost.cut_off;
    if (!first) first = peer;
  }
  return lost;
}

// A rank that gave up has lost another one, which is the one to be named if this rank knows of it. One that
// gave up in the middle of a message could not say so: if another one has ended between messages, that is it.
void Mesh::throw_if_lost() {
  LostPeers lost = lost_peers();
  if (lost.cut_off && !lost.ended) {
    for (int peer = 0; peer < size(); ++peer)
      if (peer != rank_) connections_[static_cast<std::size_t>(peer)]->progress();
    lost = lost_peers();
  }
  if (lost.ended) throw_lost(*lost.ended);
  if (lost.cut_off) throw_lost(*lost.cut_off);
  if (!lost.gave_up) return;
  const int gave_up = *lost.gave_up;
  culprit_ = *connections_[static_cast<std::size_t>(gave_up)]->culprit();
  throw PeerLost(names().name(gave_up) + " gave up" +
                 (culprit_ == gave_up ? "" : ": it waited for " + names().name(culprit_)));
}

void Mesh::throw_lost(int peer) {
  culprit_ = peer;
  throw PeerLost(names().name(peer) + " is lost: " + connections_[static_cast<std::size_t>(peer)]->reason());
}

// For ranks that need not wait, above all one that is alone.
void Mesh::throw_if_aborted() {
  const auto now = std::chrono::steady_clock::now();
  if (options_.abort_descriptor < 0 || now < look_for_abort_again_) return;
  look_for_abort_again_ = now + abort_interval;
  if (wait_limits().from_now().aborted()) throw_ended_from_outside();
}

void Mesh::throw_ended_from_outside() const {
  throw PeerLost(names().name(rank_) + ": the wait was ended from outside");
}

void Mesh::lose(int peer, const std::string& why) {
  culprit_ = peer;
  throw PeerLost(names().name(rank_) + " waiting for " + names().name(peer) + ": " + why);
}

void Mesh::give_up() {
  break_off(std::make_exception_ptr(PeerLost("an earlier wait for these ranks was given up")));
}

void Mesh::break_off(std::exception_ptr failure) {
  if (failure_) return;
  failure_ = std::move(failure);
  for (const auto& connection : connections_) connection->give_up(culprit_);
}

}  // namespace adasum::sockets
