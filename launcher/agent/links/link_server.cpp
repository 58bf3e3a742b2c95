// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/link_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/agent/base/error.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/links/tcp.h"

namespace adarun::launcher::agent {
namespace {

using std::chrono::nanoseconds;

// What is measured over one connection between two nodes.
enum class LinkExchange : char {
  echo = 'e',     // The asking node sends single bytes, which come back.
  send = 's',     // It sends; the other one counts, and reports.
  receive = 'r',  // The other way round; it counts.
};

// How long a rate is measured; up to four times as long while less than 1 MiB has arrived. The first quarter
// is not counted: TCP's slow start, and what the link lets pass at once after a pause.
constexpr std::chrono::milliseconds rate_time{80};

// How long the port is open, how long a connection may take to name the secret, and how long it is served.
constexpr std::chrono::minutes link_server_time{10};
constexpr std::chrono::seconds link_secret_time{2};
constexpr std::chrono::seconds link_connection_time{10};

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

// The median time in which a byte goes and comes back, in ns, at least 1. Throws agent::Error.
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

// Returns bytes until the other side closes.
void echo(const base::FileDescriptor& connection) {
  for (char byte = 0; ::recv(connection.get(), &byte, 1, 0) == 1;) send_all(connection, {&byte, 1});
}

// Bytes/s that arrive, at least 1. Throws agent::Error if none do.
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

// Sends until the other side writes, closes or takes nothing for `tcp_timeout`.
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

constexpr int most_served = 8;
constexpr std::size_t most_pending = 64;
constexpr std::size_t opening_bytes = link_secret_bytes + 1;  // The secret, and a LinkExchange.
constexpr int between_looks_ms = 500;

// In a time that does not depend on where they differ.
bool is_equal(std::string_view said, std::string_view secret) {
  if (secret.size() != said.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    difference |= static_cast<unsigned char>(said[i]) ^ static_cast<unsigned char>(secret[i]);
  return difference == 0;
}

void serve(const base::FileDescriptor& connection, LinkExchange exchange) {
  if (exchange == LinkExchange::echo) echo(connection);
  if (exchange == LinkExchange::receive) send_until_answer(connection);
  if (exchange != LinkExchange::send) return;
  send_all(connection, std::to_string(receive_rate(connection)) + "\n");
  // Takes what is still on its way, until the other side closes.
  std::array<char, 4096> rest{};
  while (::read(connection.get(), rest.data(), rest.size()) > 0) {
  }
}

// Ends by the alarm if the other side keeps it.
[[noreturn]] void serve_in_child(const base::FileDescriptor& connection, LinkExchange exchange,
                                 pid_t server) {
  end_with_parent(server);
  ::alarm(link_connection_time.count());
  try {
    serve(connection, exchange);
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

class LinkServer {
 public:
  LinkServer(const base::FileDescriptor& listening, std::string_view secret)
      : listening_(listening), secret_(secret) {}

  void run() {
    const Clock::time_point end = Clock::now() + link_server_time;
    while (Clock::now() < end) {
      while (served_ > 0 && ::waitpid(-1, nullptr, WNOHANG) > 0) --served_;
      wait();
      drop_late();
    }
  }

 private:
  // A connection that has not yet named the secret.
  struct Pending {
    base::FileDescriptor connection;
    Clock::time_point deadline;
    std::string said;
  };

  void wait() {
    std::vector<pollfd> polled{{listening_.get(), POLLIN, 0}};
    for (const Pending& each : pending_) polled.push_back({each.connection.get(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), between_looks_ms) <= 0) return;
    for (std::size_t i = pending_.size(); i-- > 0;) {
      if (polled[i + 1].revents != 0) read_opening(i);
    }
    if (polled[0].revents != 0) accept();
  }

  void accept() {
    base::FileDescriptor connection = accept_from(listening_);
    if (!connection) return;
    if (pending_.size() == most_pending) pending_.erase(pending_.begin());
    pending_.push_back({std::move(connection), Clock::now() + link_secret_time, ""});
  }

  void read_opening(std::size_t index) {
    Pending& from = pending_[index];
    std::array<char, opening_bytes> bytes{};
    const ssize_t size =
        ::recv(from.connection.get(), bytes.data(), opening_bytes - from.said.size(), MSG_DONTWAIT);
    if (size > 0) from.said.append(bytes.data(), static_cast<std::size_t>(size));
    if (size > 0 && from.said.size() < opening_bytes) return;
    const Pending opened = std::move(from);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
    const std::string_view said = opened.said;
    if (said.size() < opening_bytes || !is_equal(said.substr(0, link_secret_bytes), secret_)) return;
    if (served_ < most_served) start(opened.connection, static_cast<LinkExchange>(said.back()));
  }

  void start(const base::FileDescriptor& connection, LinkExchange exchange) {
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) serve_in_child(connection, exchange, self);
    if (child > 0) ++served_;
  }

  void drop_late() {
    const Clock::time_point now = Clock::now();
    std::erase_if(pending_, [now](const Pending& each) { return each.deadline < now; });
  }

  const base::FileDescriptor& listening_;
  std::string_view secret_;
  std::vector<Pending> pending_;  // The oldest first.
  int served_ = 0;
};

// The number that the other side sends, with a newline.
std::uint64_t reported_rate(const base::FileDescriptor& connection) {
  constexpr std::size_t most_digits = 20;
  std::string text;
  for (char byte = 0;; text += byte) {
    receive_all(connection, &byte, 1);
    if (byte == '\n' || text.size() == most_digits) break;
  }
  std::uint64_t rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size()) throw Error("the other side reports no rate");
  return rate;
}

}  // namespace

void serve_links(const base::FileDescriptor& listening, const std::string& secret) {
  LinkServer(listening, secret).run();
}

std::vector<std::uint64_t> measure_link(const std::string& address, std::uint16_t port,
                                        const std::string& secret) {
  const auto begin = [&](LinkExchange exchange) {
    base::FileDescriptor connection = connect_to(address, port);
    send_all(connection, secret + static_cast<char>(exchange));
    return connection;
  };
  const std::uint64_t round_trip = round_trip_ns(begin(LinkExchange::echo));
  base::FileDescriptor out = begin(LinkExchange::send);
  send_until_answer(out);
  const std::uint64_t sent = reported_rate(out);
  out.reset();
  const std::uint64_t received = receive_rate(begin(LinkExchange::receive));
  return {round_trip, sent, received};
}

}  // namespace adarun::launcher::agent
