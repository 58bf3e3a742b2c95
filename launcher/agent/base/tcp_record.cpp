// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/tcp_record.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

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

}  // namespace adarun::launcher::agent
