// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/network.h"

#include <arpa/inet.h>

#include <bit>
#include <cstdint>

namespace adarun::launcher {
namespace {

constexpr std::uint32_t loopback_net = 127;

std::string dotted(std::uint32_t address) {
  return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 255U) + "." +
         std::to_string(address >> 8U & 255U) + "." + std::to_string(address & 255U);
}

}  // namespace

std::string common_network(const std::vector<std::string>& addresses) {
  std::uint32_t first = 0;
  int prefix = addresses.empty() ? 0 : 32;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    in_addr raw{};
    if (inet_pton(AF_INET, addresses[i].c_str(), &raw) != 1) return "";
    const std::uint32_t address = ntohl(raw.s_addr);
    if (i == 0) first = address;
    prefix = std::min(prefix, std::countl_zero(first ^ address));
  }
  if (prefix == 0) return "";
  if (first >> 24U == loopback_net) return prefix >= 8 ? "127.0.0.0/8" : "";
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - prefix);
  return dotted(first & mask) + "/" + std::to_string(prefix);
}

}  // namespace adarun::launcher
