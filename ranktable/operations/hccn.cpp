// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/hccn.h"

#include <algorithm>
#include <optional>

#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr std::string_view ipv4_key = "address_";
constexpr std::string_view ipv6_key = "IPv6address_";

// Removes and returns the first line of a text that is not empty, without its end.
std::string_view cut_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Stores a "KEY=VALUE" line if it is an address; false if the key is repeated.
bool take_line(HccnConf& conf, std::string_view key, std::string_view value) {
  const bool six = key.substr(0, ipv6_key.size()) == ipv6_key;
  if (!six && key.substr(0, ipv4_key.size()) != ipv4_key) return true;
  const std::optional<int> card = parse_decimal(key.substr(six ? ipv6_key.size() : ipv4_key.size()));
  return !card || (six ? conf.ipv6 : conf.ipv4).emplace(*card, value).second;
}

}  // namespace

HccnConf parse_hccn_conf(std::string_view text, const std::string& name) {
  HccnConf conf{name, {}, {}};
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::string_view whole = cut_line(text);
    const std::string_view line = whole.substr(0, whole.find('#'));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, equals));
    if (!take_line(conf, key, trimmed(line.substr(equals + 1))))
      throw Error(name + ": line " + std::to_string(line_number) + ": " + std::string(key) + " comes twice");
  }
  return conf;
}

std::string card_address(const HccnConf& conf, int card) {
  const bool six = conf.ipv4.count(card) == 0 && conf.ipv6.count(card) != 0;
  const auto& addresses = six ? conf.ipv6 : conf.ipv4;
  const std::string key = std::string(six ? ipv6_key : ipv4_key) + std::to_string(card);
  const auto found = addresses.find(card);
  if (found == addresses.end())
    throw Error(conf.name + ": " + key + " is missing: no address for card " + std::to_string(card));
  const std::optional<Address> address = parse_address(found->second);
  if (!address || address->family != (six ? AddressFamily::ipv6 : AddressFamily::ipv4))
    throw Error(conf.name + ": " + key + ": found " + in_quotes(found->second) + ", wanted an " +
                (six ? "IPv6" : "IPv4") + " address");
  return canonical(*address);
}

namespace {

// The text after "ipaddr:" on the first line with that word.
std::optional<std::string_view> ipaddr_line(std::string_view output) {
  while (!output.empty()) {
    const std::string_view line = cut_line(output);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    if (key == "ipaddr" || key == "vnic ipaddr") return trimmed(line.substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> hccn_tool_arguments(int card) {
  return {"-i", std::to_string(card), "-ip", "-g"};
}

std::vector<std::string> hccn_tool_ipv6_arguments(int card) {
  return {"-i", std::to_string(card), "-ip", "-inet6", "-g"};
}

std::vector<std::string> hccn_tool_vnic_arguments(int card) {
  return {"-i", std::to_string(card), "-vnic", "-g"};
}

ToolAnswer parse_hccn_tool(std::string_view output, int card) {
  const std::optional<std::string_view> text = ipaddr_line(output);
  if (!text && output.find(':') == std::string_view::npos) return {};
  if (text && is_placeholder(*text)) return {ToolAnswer::Kind::no_address, ""};
  const std::optional<Address> address = text ? parse_address(*text) : std::nullopt;
  if (!address)
    throw Error("hccn_tool: card " + std::to_string(card) + ": found " + in_quotes(trimmed(output)) +
                ", wanted a line \"ipaddr:ADDRESS\"");
  return {ToolAnswer::Kind::address, canonical(*address)};
}

}  // namespace adarun::ranktable
