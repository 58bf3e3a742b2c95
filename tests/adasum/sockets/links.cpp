// SPDX-License-Identifier: Apache-2.0
#include "tests/adasum/sockets/links.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>

namespace adasum::sockets {
namespace {

bool send_all(int to, const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

FaultyLink::FaultyLink(Descriptor one, Descriptor other, Fault fault, std::size_t after, unsigned seed)
    : one_(std::move(one)),
      other_(std::move(other)),
      fault_(fault),
      after_(after),
      there_([this, seed] { carry(one_.get(), other_.get(), std::mt19937(seed), true); }),
      back_([this, seed] {
        carry(other_.get(), one_.get(), std::mt19937(seed + 1),
              fault_ != Fault::half_open && fault_ != Fault::change);
      }) {}

FaultyLink::~FaultyLink() {
  ::shutdown(one_.get(), SHUT_RDWR);
  ::shutdown(other_.get(), SHUT_RDWR);
}

void FaultyLink::carry(int from, int to, std::mt19937 random, bool is_faulty) {
  using std::chrono::microseconds;
  std::array<std::byte, 65'536> bytes;
  const std::size_t in_pieces = std::min<std::size_t>(after_, 5000);  // a system call each
  for (std::size_t carried = 0;;) {
    const std::size_t most = fault_ == Fault::pieces && carried < in_pieces ? 7 : bytes.size();
    const ssize_t got = ::recv(from, bytes.data(), 1 + random() % most, 0);
    if (got <= 0) break;
    if (is_faulty && carried >= after_) {
      if (fault_ == Fault::stall || fault_ == Fault::half_open) return;
      if (fault_ == Fault::reset) break;
      if (fault_ == Fault::delay) std::this_thread::sleep_for(microseconds(random() % 3000));
    }
    const auto end = carried + static_cast<std::size_t>(got);
    if (is_faulty && fault_ == Fault::change && carried <= after_ && after_ < end)
      bytes[after_ - carried] ^= std::byte{1};
    if (!send_all(to, bytes.data(), static_cast<std::size_t>(got))) break;
    carried = end;
  }
  ::shutdown(to, SHUT_RDWR);
  ::shutdown(from, SHUT_RDWR);
}

std::pair<Descriptor, Descriptor> socket_pair(int flags) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, ends.data()) != 0)
    throw std::runtime_error("no sockets");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::pair<Descriptor, Descriptor> pipe_ends() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::pair<Link, Link> linked(Descriptor one, Descriptor other) {
  const Secret there = random_secret();
  const Secret back = random_secret();
  const auto tags = [](const Secret& sent, const Secret& received) {
    return std::make_unique<Link::Tags>(Link::Tags{MessageTags(sent), MessageTags(received)});
  };
  return {Link{std::move(one), tags(there, back)}, Link{std::move(other), tags(back, there)}};
}

}  // namespace adasum::sockets
