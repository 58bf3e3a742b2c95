// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/ssh_socket.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <sstream>

#include "launcher/agent/base/tcp_record.h"

namespace adarun::launcher::agent {
namespace {

std::optional<TcpEnd> parse_end(const std::string& address, std::uint16_t port) {
  TcpEnd end{address.find(':') == std::string::npos ? AF_INET : AF_INET6, {}, htons(port)};
  const std::string plain =
      address.substr(0, address.find('%'));  // Without a link-local address's interface.
  if (::inet_pton(end.family, plain.c_str(), end.address.data()) != 1) return std::nullopt;
  return end;
}

}  // namespace

bool ssh_is_acknowledged(const std::string& ssh_connection) {
  std::istringstream words(ssh_connection);
  std::string client;
  std::string server;
  std::uint16_t client_port = 0;
  std::uint16_t server_port = 0;
  if (!(words >> client >> client_port >> server >> server_port)) return false;
  const auto remote = parse_end(client, client_port);
  const auto local = parse_end(server, server_port);
  if (!remote || !local) return false;
  const auto record = tcp_record(*local, *remote);
  return record && record->established && record->unacknowledged == 0;
}

}  // namespace adarun::launcher::agent
