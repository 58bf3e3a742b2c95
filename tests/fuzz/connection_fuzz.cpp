// SPDX-License-Identifier: Apache-2.0
// Any bytes from another rank: those who wait for messages get the same ones whether they wait before or
// after the bytes come, and however these are split; none if messages have tags. The first byte selects the
// size of the pieces.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "adasum/sockets/connection.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

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

Received receive(std::span<const std::uint8_t> sent, std::size_t piece, bool waits_first,
                 std::unique_ptr<sockets::Link::Tags> tags = {}) {
  std::array<int, 2> ends{};
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  adasum::Descriptor mine(ends[0]);
  const adasum::Descriptor theirs(ends[1]);
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
  for (; !sent.empty(); sent = sent.subspan(std::min(piece, sent.size()))) {
    ::send(theirs.get(), sent.data(), std::min(piece, sent.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
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

}  // namespace

FUZZ_TARGET(connection) {
  if (size == 0) return 0;
  const std::span sent(data + 1, size - 1);
  const Received outcome = receive(sent, size, true);
  demand(receive(sent, size, false) == outcome);
  demand(receive(sent, 1U + data[0], true) == outcome);
  demand(receive(sent, 1U + data[0], false) == outcome);
  auto tags = std::make_unique<sockets::Link::Tags>(sockets::Link::Tags{
      sockets::MessageTags(sockets::random_secret()), sockets::MessageTags(sockets::random_secret())});
  for (const auto& [done, other_length, bytes] : receive(sent, size, true, std::move(tags)).received)
    demand(!done);
  return 0;
}
