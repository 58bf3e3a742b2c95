// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/card_probe.h"

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

}  // namespace adarun::launcher
