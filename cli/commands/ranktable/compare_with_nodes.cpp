// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>

#include "base/clean_text.h"
#include "cli/commands/ranktable/gen.h"
#include "cli/view/ask_hosts.h"
#include "launcher/probe/card_probe.h"

namespace adarun::cli {
namespace {

using launcher::ComparedCard;
using ComparedRow = std::array<std::string, 5>;  // Server, card, hccn.conf, hccn_tool, verdict.

void add_rows(std::vector<ComparedRow>& rows, const std::string& server,
              const std::vector<ComparedCard>& cards) {
  const auto shown = [](const std::string& address) { return address.empty() ? "-" : address; };
  for (const ComparedCard& card : cards)
    rows.push_back(
        {server, std::to_string(card.card), shown(card.conf), shown(card.tool),
         name_of(card.agreement) + (card.reason.empty() ? "" : ": " + base::clean_line(card.reason))});
}

// Columns are as wide as needed; the first is left out for a single server.
std::string comparison_text(const std::vector<ComparedRow>& rows, bool with_servers) {
  std::array<std::size_t, 4> widths{};
  for (const ComparedRow& row : rows)
    for (std::size_t column = 0; column < widths.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const ComparedRow& row : rows) {
    for (std::size_t column = with_servers ? 0 : 1; column < widths.size(); ++column)
      text += row[column] + std::string(widths[column] - row[column].size() + 2, ' ');
    text += row.back() + "\n";
  }
  return text;
}

int print(const std::vector<ComparedRow>& rows, bool with_servers) {
  print_all(comparison_text(rows, with_servers));
  const std::string same = name_of(ComparedCard::Agreement::same);
  return std::all_of(rows.begin() + 1, rows.end(),
                     [&same](const ComparedRow& row) { return row.back() == same; })
             ? exit_done
             : exit_no;
}

std::vector<ComparedRow> comparison_heading() {
  return {{"server", "card", "hccn.conf", "hccn_tool", "verdict"}};
}

int compare_here(const GenCommand& command) {
  launcher::CardProbe probe(
      launcher::comparison_questions(command.cards, ranktable::physical_devices(command.table)));
  ask_here(probe);
  std::vector<ComparedRow> rows = comparison_heading();
  add_rows(rows, "", launcher::compare(probe.facts()));
  return print(rows, false);
}

}  // namespace

int compare_cards(const GenCommand& command) {
  if (command.nodes.hosts.empty()) return compare_here(command);
  const std::vector<launcher::Host> hosts = hosts_in(command.nodes);
  std::deque<launcher::CardProbe> probes;
  std::vector<launcher::NodeProbe*> pointers;
  pointers.reserve(hosts.size());
  for (const launcher::Host& host : hosts)
    pointers.push_back(
        &probes.emplace_back(launcher::comparison_questions(command.cards, cards_of(host, command))));
  AskedHosts asked = ask_hosts(hosts, command.nodes, pointers);
  std::vector<ComparedRow> rows = comparison_heading();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!asked.reasons[i].empty()) continue;
    try {
      add_rows(rows, hosts[i].name, launcher::compare(probes[i].facts()));
    } catch (const std::exception& error) {
      asked.reasons[i] = error.what();
    }
  }
  const int status = rows.size() > 1 ? print(rows, true) : exit_done;
  require_all(hosts, asked.reasons, exit_failed, "they are not compared");
  return status;
}

}  // namespace adarun::cli
