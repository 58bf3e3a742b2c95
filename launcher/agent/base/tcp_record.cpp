// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/tcp_record.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <sstream>

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

}  // namespace adarun::launcher::agent
