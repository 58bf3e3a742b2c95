// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/link_exchange.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/links/tcp.h"

namespace adarun::launcher::agent {
namespace {

using std::chrono::nanoseconds;

constexpr int warm_up_trips = 4;
constexpr std::size_t least_trips = 5;
constexpr std::size_t most_trips = 500;
constexpr std::chrono::milliseconds trips_time{10};
constexpr std::uint64_t enough_bytes = 1U << 20U;
constexpr std::size_t sent_block_bytes = 128U << 10U;

void trip(const base::FileDescriptor& connection) {
  char byte = 0;
  send_all(connection, {&byte, 1});
  receive_all(connection, &byte, 1);
}

}  // namespace

std::uint64_t round_trip_ns(const base::FileDescriptor& connection) {
  for (int i = 0; i < warm_up_trips; ++i) trip(connection);
  const Clock::time_point begin = Clock::now();
  std::vector<nanoseconds> trips;
  for (Clock::time_point now = begin;
       trips.size() < least_trips || (trips.size() < most_trips && now < begin + trips_time);) {
    trip(connection);
    const Clock::time_point end = Clock::now();
    trips.push_back(end - now);
    now = end;
  }
  const auto middle = trips.begin() + static_cast<std::ptrdiff_t>(trips.size() / 2);
  std::nth_element(trips.begin(), middle, trips.end());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, middle->count()));
}

void echo(const base::FileDescriptor& connection) {
  for (char byte = 0; ::recv(connection.get(), &byte, 1, 0) == 1;) send_all(connection, {&byte, 1});
}

std::uint64_t receive_rate(const base::FileDescriptor& connection) {
  std::vector<char> block(sent_block_bytes);
  const auto receive = [&] {
    const ssize_t size = ::recv(connection.get(), block.data(), block.size(), 0);
    if (size <= 0) throw Error("no bytes have arrived");
    return static_cast<std::uint64_t>(size);
  };
  receive();
  const Clock::time_point first = Clock::now();
  Clock::time_point now = first;
  while (now < first + rate_time / 4) {
    receive();
    now = Clock::now();
  }
  const Clock::time_point begin = now;
  std::uint64_t bytes = 0;
  do {
    bytes += receive();
    now = Clock::now();
  } while (now < first + rate_time || (bytes < enough_bytes && now < first + 4 * rate_time));
  const double seconds = std::chrono::duration<double>(now - begin).count();
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(bytes) / seconds));
}

void send_until_answer(const base::FileDescriptor& connection) {
  const std::vector<char> block(sent_block_bytes);
  for (;;) {
    pollfd polled{connection.get(), POLLIN | POLLOUT, 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(std::chrono::milliseconds(tcp_timeout).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || polled.revents != POLLOUT) return;
    if (::send(connection.get(), block.data(), block.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
        errno != EAGAIN)
      return;
  }
}

}  // namespace adarun::launcher::agent
