// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/link_server.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/links/link_exchange.h"
#include "launcher/agent/links/tcp.h"

namespace adarun::launcher::agent {
namespace {

constexpr int most_connections = 8;
constexpr int between_looks_ms = 1000;

// In a time that does not depend on where they differ.
bool is_equal(const std::array<char, link_secret_bytes>& said, const std::string& secret) {
  if (secret.size() != said.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    difference |= static_cast<unsigned char>(said[i]) ^ static_cast<unsigned char>(secret[i]);
  return difference == 0;
}

void serve(const base::FileDescriptor& connection, const std::string& secret) {
  std::array<char, link_secret_bytes> said{};
  receive_all(connection, said.data(), said.size());
  if (!is_equal(said, secret)) return;
  LinkExchange exchange{};
  receive_all(connection, reinterpret_cast<char*>(&exchange), 1);  // NOLINT: one byte
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
[[noreturn]] void serve_in_child(const base::FileDescriptor& connection, const std::string& secret,
                                 pid_t server) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) ::_exit(1);
  ::alarm(link_connection_time.count());
  try {
    serve(connection, secret);
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

void serve_links(const base::FileDescriptor& listening, const std::string& secret) {
  const pid_t self = ::getpid();
  const Clock::time_point end = Clock::now() + link_server_time;
  for (int connections = 0; Clock::now() < end;) {
    while (connections > 0 && ::waitpid(-1, nullptr, connections < most_connections ? WNOHANG : 0) > 0)
      --connections;
    pollfd polled{listening.get(), POLLIN, 0};
    if (::poll(&polled, 1, between_looks_ms) <= 0) continue;
    const base::FileDescriptor connection = accept_from(listening);
    if (!connection) continue;
    const pid_t child = ::fork();
    if (child == 0) serve_in_child(connection, secret, self);
    if (child > 0) ++connections;
  }
}

}  // namespace adarun::launcher::agent
