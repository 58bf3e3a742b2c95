// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/table_probe.h"

#include <algorithm>

#include "launcher/base/error.h"
#include "ranktable/model/address.h"
#include "ranktable/parse.h"

namespace adarun::launcher {
namespace {

using ranktable::Finding;
using ranktable::Severity;

constexpr auto max_table_bytes = static_cast<std::uint32_t>(ranktable::max_text_bytes);

const Finding same_file{Severity::error,      "$", "every node must hold this file", "", "",
                        "copy it to the node"};
const Finding own_server{Severity::error,
                         "$",
                         "every node must be a server of the table",
                         "",
                         "",
                         "write the node's address or name as its server_id, or make the table anew: adarun "
                         "ranktable gen --hosts"};
const Finding tool_agrees{Severity::error,
                          "",
                          "device_ip must be what hccn_tool says on the node",
                          "",
                          "",
                          "make the table anew: adarun ranktable gen --hosts"};
const Finding conf_agrees{Severity::error,
                          "",
                          "device_ip must be what hccn.conf says on the node",
                          "",
                          "",
                          "see which is right: adarun ranktable gen --compare --hosts"};
const Finding has_source{
    Severity::warning, "$", "a node's cards can be checked where it has hccn_tool or hccn.conf", "", "", ""};

Finding found(const Finding& rule, const std::string& what, const std::string& path = "") {
  Finding finding = rule;
  finding.found = what;
  if (!path.empty()) finding.path = path;
  return finding;
}

std::string canonical(const std::string& text) {
  const auto address = ranktable::parse_address(text);
  return address ? ranktable::canonical(*address) : text;
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

std::size_t line_of_difference(const std::string& left, const std::string& right) {
  const auto at = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
  return static_cast<std::size_t>(std::count(left.begin(), at, '\n')) + 1;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::vector<protocol::Query> TableProbe::next() {
  if (state_ == State::node) {
    state_ = State::server;
    return {protocol::query_about(protocol::Question::addresses, "", max_table_bytes),
            protocol::query_about(protocol::Question::read, held_.path, max_table_bytes)};
  }
  if (state_ == State::server) {
    find_server();
    state_ = server_ ? State::cards : State::over;
    return ask_cards();
  }
  if (state_ == State::over) return {};
  std::vector<protocol::Query> queries = cards_->next();
  if (queries.empty()) judge_cards();
  return queries;
}

void TableProbe::take(const protocol::Query& query, const protocol::Answer& answer) {
  if (state_ == State::cards) return cards_->take(query, answer);
  if (query.question == protocol::Question::read) return compare_text(answer);
  if (answer.outcome != protocol::Outcome::answered) throw Error(answer.reason);
  hostname_ = answer.out;
  for (const std::string& address : answer.names)
    if (!is_loopback(address)) addresses_.push_back(canonical(address));
}

void TableProbe::compare_text(const protocol::Answer& answer) {
  if (answer.outcome != protocol::Outcome::answered) {
    findings_.push_back(found(same_file, answer.reason));
  } else if (answer.out != held_.text) {
    findings_.push_back(found(
        same_file, held_.path + ": another file: " + std::to_string(answer.out.size()) + " bytes, here " +
                       std::to_string(held_.text.size()) + "; they differ from line " +
                       std::to_string(line_of_difference(held_.text, answer.out)) + " on"));
  }
}

void TableProbe::find_server() {
  const auto& servers = held_.table.servers;
  const auto is_here = [this](const ranktable::Server& server) {
    return server.server_id == hostname_ || server.server_id == host_ ||
           std::find(addresses_.begin(), addresses_.end(), canonical(server.server_id)) != addresses_.end();
  };
  const auto here = std::find_if(servers.begin(), servers.end(), is_here);
  if (here != servers.end())
    server_ = static_cast<std::size_t>(here - servers.begin());
  else
    findings_.push_back(found(own_server, "no server_id is " + join(addresses_) + " or " + hostname_));
}

// Empty if the table has no card addresses for this node.
std::vector<protocol::Query> TableProbe::ask_cards() {
  if (!server_) return {};
  std::vector<int> cards;
  for (const ranktable::Device& device : held_.table.servers[*server_].devices)
    if (device.device_id >= 0 && !device.device_ip.empty()) cards.push_back(device.device_id);
  if (cards.empty()) {
    state_ = State::over;
    return {};
  }
  cards_.emplace(comparison_questions(held_.sources, cards));
  return cards_->next();
}

void TableProbe::judge_cards() {
  state_ = State::over;
  const CardFacts& facts = cards_->facts();
  if (facts.tool_words.empty() && facts.conf_words.empty()) {
    const std::string file = facts.conf_error.empty() ? "" : "; " + facts.conf_error;
    findings_.push_back(found(has_source, facts.tool_error + file));
    return;
  }
  for (std::size_t device = 0; device < held_.table.servers[*server_].devices.size(); ++device)
    judge_card(device, facts);
}

void TableProbe::judge_card(std::size_t index, const CardFacts& facts) {
  const ranktable::Device& device = held_.table.servers[*server_].devices[index];
  const std::string path =
      "$.server_list[" + std::to_string(*server_) + "].device[" + std::to_string(index) + "].device_ip";
  const auto judge = [&](const Finding& rule, const std::map<int, CardAddressReply>& words) {
    const auto word = words.find(device.device_id);
    if (word == words.end() || word->second.text == canonical(device.device_ip)) return;
    const bool other = word->second.kind == CardAddressReply::Kind::address;
    const std::string said = word->second.text.empty() ? "nothing about the card" : word->second.text;
    findings_.push_back(
        found(rule,
              '"' + device.device_ip + "\", where " +
                  (other ? "card " + std::to_string(device.device_id) + " has " : "it says: ") + said,
              path));
  };
  judge(tool_agrees, facts.tool_words);
  judge(conf_agrees, facts.conf_words);
}

}  // namespace adarun::launcher
