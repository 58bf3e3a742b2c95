// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/card_sources.h"

#include <algorithm>

#include "launcher/base/error.h"
#include "launcher/base/number.h"
#include "launcher/protocol/defaults.h"
#include "ranktable/model/error.h"
#include "ranktable/operations/hccn.h"

namespace adarun::launcher {
namespace {

using Kind = CardAddressReply::Kind;
using protocol::Outcome;
using protocol::Question;

constexpr std::uint32_t max_conf_bytes = 1 << 20;

std::optional<int> card_number(std::string_view text) {
  const auto card = number<int>(text);
  return card && *card >= 0 ? card : std::nullopt;
}

CardAddressReply tool_word(const protocol::Answer& answer, const std::string& tool, int card) {
  if (answer.outcome != Outcome::answered) return {Kind::wrong, answer.reason};
  try {
    const ranktable::ToolAnswer said = ranktable::parse_hccn_tool(answer.out + answer.err, card);
    if (said.kind == ranktable::ToolAnswer::Kind::address) return {Kind::address, said.address};
    if (said.kind == ranktable::ToolAnswer::Kind::silent) return {};
    return {Kind::none, tool + ": card " + std::to_string(card) + ": has no address"};
  } catch (const ranktable::Error& error) {
    return {Kind::wrong, error.what()};
  }
}

CardAddressReply conf_word(const ranktable::HccnConf& conf, int card) {
  const bool missing = conf.ipv4.count(card) == 0 && conf.ipv6.count(card) == 0;
  try {
    return {Kind::address, ranktable::card_address(conf, card)};
  } catch (const ranktable::Error& error) {
    return {missing ? Kind::none : Kind::wrong, error.what()};
  }
}

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

std::vector<int> cards_among(const std::vector<std::string>& names) {
  constexpr std::string_view stem = "davinci";
  std::vector<int> cards;
  for (const std::string& name : names)
    if (name.rfind(stem, 0) == 0)
      if (const auto card = card_number(std::string_view(name).substr(stem.size()))) cards.push_back(*card);
  std::sort(cards.begin(), cards.end());
  return cards;
}

protocol::Query CardProbe::ask(std::vector<std::string> arguments) const {
  protocol::Query query;
  query.argv = std::move(arguments);
  query.argv.insert(query.argv.begin(), questions_.tools[tools_asked_ - 1]);
  query.deadline_ms = in_ms(questions_.deadline);
  return query;
}

std::vector<protocol::Query> CardProbe::ask_next_tool() {
  std::vector<protocol::Query> queries;
  if (tools_asked_ == questions_.tools.size()) return queries;
  ++tools_asked_;
  for (const int card : facts_.cards)
    queries.push_back(ask(questions_.nic == Nic::card ? ranktable::hccn_tool_arguments(card)
                                                      : ranktable::hccn_tool_vnic_arguments(card)));
  return queries;
}

std::vector<protocol::Query> CardProbe::ask_for_ipv6() const {
  std::vector<protocol::Query> queries;
  if (facts_.tool.empty() || questions_.nic == Nic::virtual_) return queries;
  for (const auto& [card, word] : facts_.tool_words)
    if (word.kind == Kind::none || word.kind == Kind::silent)
      queries.push_back(ask(ranktable::hccn_tool_ipv6_arguments(card)));
  return queries;
}

std::vector<protocol::Query> CardProbe::next() {
  std::vector<protocol::Query> queries;
  if (state_ == State::find) {
    state_ = State::sources;
    if (!questions_.cards)
      return {protocol::query_about(Question::list, questions_.device_folder, max_conf_bytes)};
    facts_.cards = *questions_.cards;
  }
  if (state_ == State::sources) {
    state_ = State::other_tools;
    queries = ask_next_tool();
    if (!questions_.conf.empty())
      queries.push_back(protocol::query_about(Question::read, questions_.conf, max_conf_bytes));
    return queries;
  }
  if (state_ == State::other_tools) {
    if (facts_.tool.empty()) queries = ask_next_tool();
    if (!queries.empty()) return queries;
    state_ = State::over;
    queries = ask_for_ipv6();
  }
  return queries;
}

void CardProbe::take(const protocol::Query& query, const protocol::Answer& answer) {
  if (query.question == Question::run) return take_tool(query, answer);
  if (query.question == Question::read) return take_conf(answer);
  if (answer.outcome != Outcome::answered) throw Error(answer.reason);
  facts_.cards = cards_among(answer.names);
  constexpr std::size_t most_cards = 1024;
  if (facts_.cards.size() > most_cards)
    throw Error("more than " + std::to_string(most_cards) + " NPUs in " + query.path);
  if (facts_.cards.empty())
    throw Error("no NPU: " + query.path +
                "/davinci0, davinci1, ... are not there; say which cards it has, such as slots=8");
}

// A tool without IPv6 support answers with an error message; then its earlier answer is kept.
void CardProbe::take_tool(const protocol::Query& query, const protocol::Answer& answer) {
  if (answer.outcome == Outcome::not_found) {
    facts_.tool_error = questions_.tools.front() + ": is not there";
    return;
  }
  facts_.tool = query.argv[0];
  const int card = card_number(query.argv[2]).value_or(-1);
  CardAddressReply word = tool_word(answer, facts_.tool, card);
  const bool first = facts_.tool_words.count(card) == 0;
  if (first || word.kind == Kind::address) facts_.tool_words[card] = std::move(word);
}

void CardProbe::take_conf(const protocol::Answer& answer) {
  facts_.conf_error = answer.reason;
  if (answer.outcome != Outcome::answered) return;
  try {
    const ranktable::HccnConf conf = ranktable::parse_hccn_conf(answer.out, questions_.conf);
    for (const int card : facts_.cards) facts_.conf_words[card] = conf_word(conf, card);
  } catch (const ranktable::Error& error) {
    facts_.conf_error = error.what();
  }
}

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
