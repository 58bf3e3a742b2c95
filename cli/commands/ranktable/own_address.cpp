// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>

#include "cli/commands/ranktable/gen.h"
#include "launcher/transport/ssh/resolve.h"
#include "ranktable/model/address.h"

namespace adarun::cli {
namespace {

launcher::Resolved resolved(const char* name, int family) {
  constexpr std::chrono::seconds deadline{10};
  return launcher::resolve_all({{name, 0, family}}, deadline).front();
}

}  // namespace

std::string own_address() {
  std::array<char, 257> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw std::runtime_error("this server's host name cannot be read: give --server-ip ADDRESS");
  launcher::Resolved found = resolved(name.data(), AF_INET);
  if (found.addresses.empty()) {
    const std::string reason = found.reason;
    found = resolved(name.data(), AF_INET6);
    if (found.addresses.empty())
      throw std::runtime_error(reason + " (it is this server's own): give --server-ip ADDRESS");
  }
  const std::string address = found.addresses.front().text();
  const auto parsed = ranktable::parse_address(address);
  return parsed ? ranktable::canonical(*parsed) : address;
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

}  // namespace adarun::cli
