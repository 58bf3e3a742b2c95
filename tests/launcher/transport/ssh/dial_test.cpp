// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/dial.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/launcher/error_of.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

base::FileDescriptor make_socket() {
  return base::FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

const sockaddr* general(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr*>(&storage);  // NOLINT: the type of connect and bind
}

/// A port of this machine that answers, refuses or is silent.
class Port {
 public:
  Port() : socket_(make_socket()) {
    sockaddr_in loopback{};
    loopback.sin_family = AF_INET;
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(&address_.storage, &loopback, sizeof loopback);
    address_.size = sizeof loopback;
    auto* own = reinterpret_cast<sockaddr*>(&address_.storage);  // NOLINT: the type of getsockname
    if (bind(socket_.get(), general(address_.storage), address_.size) != 0 ||
        getsockname(socket_.get(), own, &address_.size) != 0)
      throw Error("no port");
  }

  Port& answering() {
    listen(socket_.get(), SOMAXCONN);
    return *this;
  }
  // A queue of connections that is full drops what else comes.
  Port& silent() {
    listen(socket_.get(), 0);
    for (int i = 0; i < 3; ++i) {
      connect(fill_.emplace_back(make_socket()).get(), general(address_.storage), address_.size);
    }
    return *this;
  }
  const SocketAddress& address() const { return address_; }

 private:
  base::FileDescriptor socket_;
  SocketAddress address_;
  std::vector<base::FileDescriptor> fill_;
};

bool connects(AddressDial& dial) {
  const auto deadline = AddressDial::Clock::now() + 30s;
  while (AddressDial::Clock::now() < deadline) {
    if (dial.advance()) return true;
    pollfd polled{dial.fd(), dial.wanted(), 0};
    poll(&polled, 1, 1);
  }
  return false;
}

std::string peer_of(const base::FileDescriptor& socket) {
  SocketAddress peer;
  peer.size = sizeof peer.storage;
  auto* storage = reinterpret_cast<sockaddr*>(&peer.storage);  // NOLINT: the type of getpeername
  return getpeername(socket.get(), storage, &peer.size) == 0 ? peer.text_with_port() : "";
}

TEST(AddressDial, ContinuesToTheNextOfSeveralWhereOneIsSilentOrRefuses) {
  Port refusing;
  Port silent;
  Port answering;
  AddressDial dial({refusing.address(), silent.silent().address(), answering.answering().address()}, 1ms);
  ASSERT_TRUE(connects(dial));
  EXPECT_EQ(peer_of(dial.take()), answering.address().text_with_port());
}

TEST(AddressDial, ComesBackToTheSilentOnes) {
  Port silent;
  Port refusing;
  AddressDial dial({silent.silent().address(), refusing.address()}, 1ms);
  dial.advance();
  ASSERT_FALSE(dial.advance());
  const auto deadline = AddressDial::Clock::now() + 30s;
  while (dial.status_text().find(refusing.address().text_with_port()) == std::string::npos &&
         AddressDial::Clock::now() < deadline)
    dial.advance();
  while (dial.status_text().find(silent.address().text_with_port()) == std::string::npos &&
         AddressDial::Clock::now() < deadline)
    dial.advance();
  EXPECT_LT(AddressDial::Clock::now(), deadline);
}

TEST(AddressDial, FailsOnceAllHaveRefused) {
  Port first;
  Port last;
  AddressDial dial({first.address(), last.address()}, 1ms);
  EXPECT_EQ(error_of([&] { connects(dial); }),
            "cannot connect to " + last.address().text_with_port() + ": Connection refused");
}

}  // namespace
}  // namespace adarun::launcher
