// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/link_server.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/links/link_exchange.h"
#include "launcher/agent/links/tcp.h"

namespace adarun::launcher::agent {
namespace {

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
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) ::_exit(1);
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

}  // namespace

void serve_links(const base::FileDescriptor& listening, const std::string& secret) {
  LinkServer(listening, secret).run();
}

}  // namespace adarun::launcher::agent
