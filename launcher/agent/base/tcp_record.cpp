// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/tcp_record.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {
namespace {

std::optional<TcpEnd> parse_end(const std::string& address, std::uint16_t port) {
  TcpEnd end{address.find(':') == std::string::npos ? AF_INET : AF_INET6, {}, htons(port)};
  const std::string plain =
      address.substr(0, address.find('%'));  // Without a link-local address's interface.
  if (::inet_pton(end.family, plain.c_str(), end.address.data()) != 1) return std::nullopt;
  return end;
}

// The table is read in pieces: entries that move between reads can be missed.
constexpr int most_readings = 3;

// ADDRESS:PORT in the format of /proc/net/tcp.
std::string text_of(const TcpEnd& end) {
  std::string result;
  std::array<char, 16> piece{};
  for (std::size_t i = 0; i < (end.family == AF_INET ? 1 : end.address.size()); ++i) {
    std::snprintf(piece.data(), piece.size(), "%08X", end.address.at(i));
    result += piece.data();
  }
  std::snprintf(piece.data(), piece.size(), ":%04X", ntohs(end.port));
  return result + piece.data();
}

TcpEnd end_of(const sockaddr_storage& place) {
  TcpEnd end{place.ss_family, {}, 0};
  if (place.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &place, sizeof six);
    std::memcpy(end.address.data(), &six.sin6_addr, sizeof six.sin6_addr);
    end.port = six.sin6_port;
  } else {
    sockaddr_in four{};
    std::memcpy(&four, &place, sizeof four);
    end.address[0] = four.sin_addr.s_addr;
    end.port = four.sin_port;
  }
  return end;
}

// Where sock_diag is not available: searches the whole table.
std::optional<uid_t> owner_in(const char* table, const std::string& local, const std::string& remote) {
  constexpr const char* established = "01";
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string here;
    std::string there;
    std::string state;
    std::string other;
    uid_t uid = 0;
    words >> other >> here >> there >> state >> other >> other >> other >> uid;
    if (words && here == local && there == remote && state == established) return uid;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TcpRecord> tcp_record(const TcpEnd& local, const TcpEnd& remote) {
  struct {
    nlmsghdr header{sizeof(nlmsghdr) + sizeof(inet_diag_req_v2), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0};
    inet_diag_req_v2 request{};
  } question;
  inet_diag_req_v2& request = question.request;
  request.sdiag_family = static_cast<std::uint8_t>(local.family);
  request.sdiag_protocol = IPPROTO_TCP;
  request.idiag_states = ~0U;
  request.id.idiag_sport = local.port;
  request.id.idiag_dport = remote.port;
  std::memcpy(request.id.idiag_src, local.address.data(), sizeof request.id.idiag_src);
  std::memcpy(request.id.idiag_dst, remote.address.data(), sizeof request.id.idiag_dst);
  std::memset(request.id.idiag_cookie, 0xff, sizeof request.id.idiag_cookie);  // INET_DIAG_NOCOOKIE

  const base::FileDescriptor kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  struct {
    nlmsghdr header{};
    inet_diag_msg facts{};
    std::array<char, 4096> attributes{};
  } answer;
  if (!kernel || ::send(kernel.get(), &question, sizeof question, 0) != sizeof question) return std::nullopt;
  // The reply is queued before send() returns.
  const ssize_t size = ::recv(kernel.get(), &answer, sizeof answer, MSG_DONTWAIT);
  if (size < static_cast<ssize_t>(sizeof answer.header + sizeof answer.facts) ||
      answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return std::nullopt;
  return TcpRecord{answer.facts.idiag_state == TCP_ESTABLISHED, answer.facts.idiag_uid,
                   answer.facts.idiag_retrans};
}

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

// For closed connections the kernel reports uid 0, which is root; so only established ones count.
std::optional<uid_t> peer_uid(int socket) {
  sockaddr_storage own_place{};
  sockaddr_storage peer_place{};
  socklen_t own_size = sizeof own_place;
  socklen_t peer_size = sizeof peer_place;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own_place), &own_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer_place), &peer_size) != 0)
    return std::nullopt;
  if (own_place.ss_family != AF_INET && own_place.ss_family != AF_INET6) return std::nullopt;
  const TcpEnd own = end_of(own_place);
  const TcpEnd peer = end_of(peer_place);
  if (const auto record = tcp_record(peer, own); record && record->established) return record->uid;
  if (tcp_record(own, peer)) return std::nullopt;  // sock_diag works, so the other end does not exist.
  const char* const table = own.family == AF_INET ? "/proc/net/tcp" : "/proc/net/tcp6";
  for (int i = 0; i < most_readings; ++i)
    if (const auto uid = owner_in(table, text_of(peer), text_of(own))) return uid;
  return std::nullopt;
}

}  // namespace adarun::launcher::agent
