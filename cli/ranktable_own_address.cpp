// SPDX-License-Identifier: Apache-2.0
#include "cli/ranktable_own_address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "ranktable/address.h"

namespace adarun::cli {

std::string own_address() {
  std::array<char, 257> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw std::runtime_error("this server's host name cannot be read: give --server-ip ADDRESS");
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failure = ::getaddrinfo(name.data(), nullptr, &hints, &list);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  if (failure != 0)
    throw std::runtime_error(std::string("this server's name \"") + name.data() + "\" does not resolve (" +
                             ::gai_strerror(failure) + "): give --server-ip ADDRESS");
  sockaddr_in first{};
  std::memcpy(&first, list->ai_addr, sizeof first);
  ranktable::Address address;
  std::memcpy(address.bytes.data(), &first.sin_addr, sizeof first.sin_addr);
  return ranktable::canonical(address);
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0;
}

}  // namespace adarun::cli
