// SPDX-License-Identifier: Apache-2.0
#include "bench/adasum/socket_world.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "adasum/sockets/socket_communicator.h"
#include "adasum/sockets/tcp.h"

namespace adarun::bench {

std::unique_ptr<adasum::Communicator> socket_world(adasum::Communicator& world,
                                                   adasum::sockets::Messages messages) {
  const char* address = std::getenv("MASTER_ADDR");
  adasum::SocketWorld sockets{.rank = world.rank(),
                              .size = world.size(),
                              .root = {address != nullptr ? address : "127.0.0.1", 0},
                              .node = {},
                              .mesh = {},
                              .messages = messages};
  adasum::Descriptor listener;
  if (world.rank() == 0) {
    listener = adasum::sockets::listen_on(sockets.root);
    sockets.root.port = adasum::sockets::port_of(listener);
    sockets.secret = adasum::sockets::random_secret();
  }
  world.broadcast(std::as_writable_bytes(std::span(&sockets.root.port, 1)), 0);
  world.broadcast(sockets.secret, 0);
  return adasum::socket_communicator(sockets, std::move(listener));
}

}  // namespace adarun::bench
