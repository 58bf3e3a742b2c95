// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// The addresses in an hccn.conf, by physical card id, as they are written there.
struct HccnConf {
  std::string name;  ///< The file, for messages.
  std::map<int, std::string> ipv4;
  std::map<int, std::string> ipv6;
};

/// Reads the lines `address_N=` and `IPv6address_N=`; drops comments (from "#" on) and other keys. Throws
/// Error, with the line, where a key comes twice.
HccnConf parse_hccn_conf(std::string_view text, const std::string& name);

/// The address of a card, canonical; IPv4 where it has both. Throws Error naming file, key and what was
/// found, where there is none or it is not an address.
std::string card_address(const HccnConf& conf, int card);

}  // namespace adarun::ranktable
