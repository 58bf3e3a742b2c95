// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/peer_uid.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "launcher/agent/base/tcp_record.h"

namespace adarun::launcher::agent {
namespace {

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
