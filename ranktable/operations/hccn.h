// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// The arguments with which hccn_tool prints the address of a card: "-i N -ip -g".
std::vector<std::string> hccn_tool_arguments(int card);

/// The same for its IPv6 address: "-i N -ip -inet6 -g".
std::vector<std::string> hccn_tool_ipv6_arguments(int card);

/// The same for the address of its virtual NIC, which tables of A3 super pods contain: "-i N -vnic -g".
std::vector<std::string> hccn_tool_vnic_arguments(int card);

/// What the tool printed about one card.
struct ToolAnswer {
  enum class Kind {
    address,     ///< An address.
    no_address,  ///< The card has none: "ipaddr:-.-.-.-".
    silent,      ///< No information: no output, or text without a colon.
  };
  Kind kind = Kind::silent;
  std::string address;  ///< Canonical.
};

/// Parses the output of hccn_tool for a card: the line "ipaddr:ADDRESS", or "vnic ipaddr:ADDRESS". Throws
/// Error, which quotes the text, on anything else, such as an error message.
ToolAnswer parse_hccn_tool(std::string_view output, int card);

}  // namespace adarun::ranktable
