// SPDX-License-Identifier: Apache-2.0
#include "cli/ranktable_cards.h"

#include <chrono>
#include <optional>
#include <stdexcept>

#include "cli/ranktable_run_tool.h"
#include "ranktable/error.h"
#include "ranktable/hccn_conf.h"
#include "ranktable/hccn_tool.h"
#include "ranktable/parse.h"

namespace adarun::cli {
namespace {

using ranktable::CardAddresses;
using ranktable::ToolAnswer;
using Kind = ranktable::ToolAnswer::Kind;

constexpr std::chrono::seconds tool_deadline{10};

// Nothing where there is no such tool.
std::optional<ToolAnswer> ask(const std::string& tool, const std::vector<std::string>& arguments, int card) {
  const std::optional<std::string> output = run_tool(tool, arguments, tool_deadline);
  if (!output) return std::nullopt;
  return ranktable::parse_hccn_tool(*output, card);
}

// A tool that knows no IPv6 answers with an error message: no address, then.
ToolAnswer ask_ipv6(const std::string& tool, int card) {
  try {
    return ask(tool, ranktable::hccn_tool_ipv6_arguments(card), card).value_or(ToolAnswer{});
  } catch (const ranktable::Error&) {
    return {};
  }
}

// Nothing where the tool is not there or says nothing of a card. Throws where a card has no address.
std::optional<CardAddresses> from_tool(const std::vector<int>& cards, const std::string& tool) {
  CardAddresses addresses;
  for (const int card : cards) {
    const std::optional<ToolAnswer> answer = ask(tool, ranktable::hccn_tool_arguments(card), card);
    if (!answer) return std::nullopt;
    const ToolAnswer best = answer->kind == Kind::address ? *answer : ask_ipv6(tool, card);
    if (best.kind == Kind::address)
      addresses[card] = best.address;
    else if (answer->kind == Kind::no_address)
      throw std::runtime_error(tool + ": card " + std::to_string(card) + ": has no address");
    else
      return std::nullopt;
  }
  return addresses;
}

CardAddresses from_conf(const std::vector<int>& cards, const std::string& file) {
  const ranktable::HccnConf conf = ranktable::parse_hccn_conf(ranktable::read_text(file), file);
  CardAddresses addresses;
  for (const int card : cards) addresses[card] = ranktable::card_address(conf, card);
  return addresses;
}

}  // namespace

CardAddresses card_addresses(const std::vector<int>& cards, const CardSources& sources) {
  if (!sources.hccn_conf.empty()) return from_conf(cards, sources.hccn_conf);
  const bool chosen = !sources.hccn_tool.empty();
  const std::string tool = chosen ? sources.hccn_tool : "hccn_tool";
  if (auto addresses = from_tool(cards, tool)) return *addresses;
  if (chosen) throw std::runtime_error(tool + ": is not there, or says nothing of a card");
  try {
    return from_conf(cards, "/etc/hccn.conf");
  } catch (const ranktable::Error& error) {
    throw std::runtime_error(std::string("hccn_tool is not there, or says nothing of a card; ") +
                             error.what() + " (for a server without NPUs: --plain)");
  }
}

}  // namespace adarun::cli
