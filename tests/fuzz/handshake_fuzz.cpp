// SPDX-License-Identifier: Apache-2.0
// Whatever connects, or is connected to, without the secret: the handshake continues waiting or is refused,
// and is never complete. The first byte selects the side and the size of the pieces.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "adasum/sockets/handshake.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace sockets = adasum::sockets;

FUZZ_TARGET(handshake) {
  if (size == 0) return 0;
  std::array<int, 2> ends{};
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
  adasum::Descriptor mine(ends[0]);
  const adasum::Descriptor theirs(ends[1]);
  const sockets::Secret secret = sockets::random_secret();
  const sockets::Introduction introduction{.generation = 1, .world_size = 4, .from = 1, .to = 0};
  sockets::Handshake handshake =
      data[0] % 2 == 0 ? sockets::Handshake::of_acceptor(std::move(mine), introduction, secret)
                       : sockets::Handshake::of_connector(std::move(mine), introduction, secret);
  const std::size_t piece = 1U + data[0] / 2U;
  try {
    for (std::span rest(data + 1, size - 1); !rest.empty();
         rest = rest.subspan(std::min(piece, rest.size()))) {
      ::send(theirs.get(), rest.data(), std::min(piece, rest.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
      demand(!handshake.progress());
    }
  } catch (const adasum::Error&) {  // refused
  }
  return 0;
}
