// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "adasum/sockets/connection.h"
#include "adasum/sockets/handshake.h"
#include "tests/fuzz/fuzz.h"

namespace sockets = adasum::sockets;

namespace {

constexpr std::uint32_t worlds = 3;
constexpr std::size_t messages = 4;       // that are waited for in each world
constexpr std::size_t longest_bytes = 8;  // of the longest of them
constexpr std::size_t most_kept = 4096;

struct Received {
  std::vector<std::tuple<bool, std::optional<std::size_t>, std::vector<std::byte>>> received;
  sockets::Connection::State state;

  bool operator==(const Received&) const = default;
};

struct Waiter {
  std::vector<std::byte> bytes;
  sockets::Receive receive;
};

std::pair<adasum::Descriptor, adasum::Descriptor> connected_sockets() {
  std::array<int, 2> ends{};
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  return {adasum::Descriptor(ends[0]), adasum::Descriptor(ends[1])};
}

// Sends the first bytes, a piece of at most this size, and takes them from `bytes`.
void send_piece(const adasum::Descriptor& to, std::string_view& bytes, std::size_t size) {
  size = std::min(size, bytes.size());
  ::send(to.get(), bytes.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
  bytes.remove_prefix(size);
}

Received receive(std::string_view sent, std::size_t piece, bool waits_first,
                 std::unique_ptr<sockets::Link::Tags> tags = {}) {
  auto [mine, theirs] = connected_sockets();
  std::vector<Waiter> waiters(worlds * messages);
  sockets::Connection connection({std::move(mine), std::move(tags)}, most_kept);
  const auto wait = [&] {
    for (std::size_t i = 0; i < waiters.size(); ++i) {
      Waiter& waiter = waiters[i];
      waiter.bytes.resize(i % (longest_bytes + 1));
      waiter.receive.world = static_cast<std::uint32_t>(i % worlds);
      waiter.receive.bytes = waiter.bytes;
      connection.post(waiter.receive);
    }
  };
  if (waits_first) wait();
  while (!sent.empty()) {
    send_piece(theirs, sent, piece);
    connection.progress();
  }
  if (!waits_first) wait();
  connection.progress();
  Received outcome{.received = {}, .state = connection.state()};
  for (const Waiter& waiter : waiters) {
    const bool whole = waiter.receive.done && !waiter.receive.other_length;
    outcome.received.emplace_back(waiter.receive.done, waiter.receive.other_length,
                                  whole ? waiter.bytes : std::vector<std::byte>());
  }
  return outcome;
}

// Any bytes from another rank: those who wait for messages get the same ones whether they wait before or
// after the bytes come, and however these are split; none if messages have tags. The first byte selects the
// size of the pieces.
void fuzz_connection(std::string_view sent) {
  const unsigned choice = take_byte(sent);
  const std::size_t whole = sent.size() + 1;
  const Received outcome = receive(sent, whole, true);
  demand(receive(sent, whole, false) == outcome);
  demand(receive(sent, 1 + choice, true) == outcome);
  demand(receive(sent, 1 + choice, false) == outcome);
  auto tags = std::make_unique<sockets::Link::Tags>(sockets::Link::Tags{
      sockets::MessageTags(sockets::random_secret()), sockets::MessageTags(sockets::random_secret())});
  for (const auto& [done, other_length, bytes] : receive(sent, whole, true, std::move(tags)).received)
    demand(!done);
}

// Whatever connects, or is connected to, without the secret: the handshake continues waiting or is refused,
// and is never complete. The first byte selects the side and the size of the pieces.
void fuzz_handshake(std::string_view bytes) {
  const unsigned choice = take_byte(bytes);
  auto [mine, theirs] = connected_sockets();
  const sockets::Secret secret = sockets::random_secret();
  const sockets::Introduction introduction{.generation = 1, .world_size = 4, .from = 1, .to = 0};
  sockets::Handshake handshake =
      choice % 2 == 0 ? sockets::Handshake::of_acceptor(std::move(mine), introduction, secret)
                      : sockets::Handshake::of_connector(std::move(mine), introduction, secret);
  const std::size_t piece = 1 + choice / 2;
  try {
    while (!bytes.empty()) {
      send_piece(theirs, bytes, piece);
      demand(!handshake.progress());
    }
  } catch (const adasum::Error&) {  // refused
  }
}

const FuzzTargets adasum_targets{
    {"connection", fuzz_connection},
    {"handshake", fuzz_handshake},
};

}  // namespace
