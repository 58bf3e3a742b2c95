// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// The addresses in an hccn.conf, by physical card id, as written there.
struct HccnConf {
  std::string name;  ///< Name of the file, for messages.
  std::map<int, std::string> ipv4;
  std::map<int, std::string> ipv6;
};

/// Parses the lines `address_N=` and `IPv6address_N=`; ignores comments (from "#" on) and other keys. Throws
/// Error, with the line number, if a key is repeated.
HccnConf parse_hccn_conf(std::string_view text, const std::string& name);

/// The address of a card in canonical form; IPv4 if it has both. Throws Error, which names the file, the key
/// and what was found, if there is none or it is invalid.
std::string card_address(const HccnConf& conf, int card);

}  // namespace adarun::ranktable
