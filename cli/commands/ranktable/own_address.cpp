// SPDX-License-Identifier: Apache-2.0
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "cli/commands/ranktable/gen.h"
#include "ranktable/model/address.h"

namespace adarun::cli {
namespace {

// The first address of a family that a name resolves to; 0, or the resolver's error.
int resolve(const char* name, int family, std::string& address) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failure = ::getaddrinfo(name, nullptr, &hints, &list);
  if (failure != 0) return failure;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::array<char, NI_MAXHOST> text{};
  const int unwritten =
      ::getnameinfo(list->ai_addr, list->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  address = text.data();
  return unwritten;
}

}  // namespace

std::string own_address() {
  std::array<char, 257> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw std::runtime_error("this server's host name cannot be read: give --server-ip ADDRESS");
  std::string address;
  int failure = resolve(name.data(), AF_INET, address);
  if (failure != 0 && resolve(name.data(), AF_INET6, address) == 0) failure = 0;
  if (failure != 0)
    throw std::runtime_error(std::string("this server's name \"") + name.data() + "\" does not resolve (" +
                             ::gai_strerror(failure) + "): give --server-ip ADDRESS");
  const auto parsed = ranktable::parse_address(address);
  return parsed ? ranktable::canonical(*parsed) : address;
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

}  // namespace adarun::cli
