// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "cli/commands/ranktable/gen.h"
#include "launcher/transport/ssh/resolve.h"
#include "ranktable/model/address.h"

namespace adarun::cli {
namespace {

constexpr std::chrono::seconds resolver_deadline{10};

}  // namespace

std::string own_address() {
  std::array<char, 257> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw std::runtime_error("this server's host name cannot be read: give --server-ip ADDRESS");
  const std::vector<launcher::Resolved> families =
      launcher::resolve_all({{name.data(), 0, AF_INET}, {name.data(), 0, AF_INET6}}, resolver_deadline);
  for (const launcher::Resolved& found : families) {
    if (found.addresses.empty()) continue;
    const std::string address = found.addresses.front().text();
    const auto parsed = ranktable::parse_address(address);
    return parsed ? ranktable::canonical(*parsed) : address;
  }
  throw std::runtime_error(families.front().reason + " (it is this server's own): give --server-ip ADDRESS");
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

}  // namespace adarun::cli
