// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/card_sources.h"

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

using Kind = CardAddressReply::Kind;
using Agreement = ComparedCard::Agreement;

// In PATH, or where the driver installs it: that folder is rarely in PATH.
const std::vector<std::string> usual_tools{"hccn_tool", "/usr/local/Ascend/driver/tools/hccn_tool"};
constexpr const char* usual_conf = "/etc/hccn.conf";

ranktable::CardAddresses from_conf(const CardFacts& facts) {
  if (!facts.conf_error.empty()) throw Error(facts.conf_error);
  ranktable::CardAddresses addresses;
  for (const int card : facts.cards) {
    const CardAddressReply& word = facts.conf_words.at(card);
    if (word.kind != Kind::address) throw Error(word.text);
    addresses[card] = word.text;
  }
  return addresses;
}

// nullopt if the tool is missing or reports nothing about a card.
std::optional<ranktable::CardAddresses> from_tool(const CardFacts& facts) {
  if (facts.tool.empty()) return std::nullopt;
  ranktable::CardAddresses addresses;
  for (const int card : facts.cards) {
    const CardAddressReply& word = facts.tool_words.at(card);
    if (word.kind == Kind::none || word.kind == Kind::wrong) throw Error(word.text);
    if (word.kind == Kind::silent) return std::nullopt;
    addresses[card] = word.text;
  }
  return addresses;
}

std::string address_in(const CardAddressReply& word) {
  return word.kind == Kind::address ? word.text : "";
}

Agreement agreement_of(const std::string& conf, const std::string& tool) {
  if (conf.empty() && tool.empty()) return Agreement::neither;
  if (tool.empty()) return Agreement::conf_alone;
  if (conf.empty()) return Agreement::tool_alone;
  return conf == tool ? Agreement::same : Agreement::differ;
}

}  // namespace

CardQuery questions(const CardSources& sources, std::optional<std::vector<int>> cards) {
  CardQuery asked = comparison_questions(sources, std::move(cards));
  if (!sources.hccn_conf.empty()) {
    asked.conf = sources.hccn_conf;
    asked.tools.clear();
  } else if (!sources.hccn_tool.empty()) {
    asked.conf.clear();
  }
  return asked;
}

CardQuery comparison_questions(const CardSources& sources, std::optional<std::vector<int>> cards) {
  CardQuery asked;
  asked.cards = std::move(cards);
  asked.deadline = sources.deadline;
  asked.tools = sources.hccn_tool.empty() ? usual_tools : std::vector<std::string>{sources.hccn_tool};
  asked.nic = sources.nic;
  if (sources.nic == Nic::card) asked.conf = sources.hccn_conf.empty() ? usual_conf : sources.hccn_conf;
  return asked;
}

ranktable::CardAddresses addresses(const CardFacts& facts, const CardSources& sources) {
  if (!sources.hccn_conf.empty()) return from_conf(facts);
  if (auto found = from_tool(facts)) return *found;
  const std::string tool = sources.hccn_tool.empty() ? usual_tools.front() : sources.hccn_tool;
  const std::string silent = tool + ": is not there, or says nothing of a card";
  if (!sources.hccn_tool.empty() || sources.nic == Nic::virtual_) throw Error(silent);
  try {
    return from_conf(facts);
  } catch (const Error& error) {
    throw Error(silent + "; " + error.what() + " (for a server without NPUs: --plain)");
  }
}

std::vector<ComparedCard> compare(const CardFacts& facts) {
  if (facts.tool.empty()) throw Error(facts.tool_error);
  if (!facts.conf_error.empty()) throw Error(facts.conf_error);
  std::vector<ComparedCard> cards;
  for (const int card : facts.cards) {
    const CardAddressReply& conf = facts.conf_words.at(card);
    const CardAddressReply& tool = facts.tool_words.at(card);
    ComparedCard& row = cards.emplace_back();
    row = {card, address_in(conf), address_in(tool), Agreement::same, ""};
    row.agreement = agreement_of(row.conf, row.tool);
    for (const CardAddressReply* word : {&conf, &tool})
      if (word->kind == Kind::wrong) row.reason += (row.reason.empty() ? "" : "; ") + word->text;
  }
  return cards;
}

const char* name_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::same:
      return "same";
    case Agreement::differ:
      return "differ";
    case Agreement::conf_alone:
      return "in hccn.conf alone";
    case Agreement::tool_alone:
      return "in hccn_tool alone";
    case Agreement::neither:
      break;
  }
  return "in neither";
}

}  // namespace adarun::launcher
