// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/hccn_tool.h"

#include <algorithm>
#include <optional>

#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

bool is_address_key(std::string_view key) {
  return key == "ipaddr" || key == "vnic ipaddr";
}

// The text after "ipaddr:" on the first line that has it.
std::optional<std::string_view> ipaddr_line(std::string_view output) {
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && is_address_key(trimmed(line.substr(0, colon))))
      return trimmed(line.substr(colon + 1));
    output.remove_prefix(std::min(end + 1, output.size()));
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
