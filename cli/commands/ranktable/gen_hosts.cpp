// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>

#include "base/clean_text.h"
#include "cli/arguments/command.h"
#include "cli/commands/ranktable/gen.h"
#include "cli/console/print.h"
#include "cli/view/ask_hosts.h"
#include "launcher/hosts/host_words.h"
#include "launcher/probe/card_probe.h"
#include "ranktable/operations/gen.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

using ranktable::MergeInput;

std::vector<MergeInput> plain_tables(const std::vector<launcher::Host>& hosts, const GenCommand& command) {
  std::vector<MergeInput> tables;
  for (const launcher::Host& host : hosts) {
    if (host.asked_kind)
      throw ExitError(exit_usage, host.name + ":" + launcher::name_of(*host.asked_kind) +
                                      ": --plain connects to nothing; the number of devices is wanted");
    const ranktable::PlainNode nodes[] = {{host.name, cards_of(host, command).value_or(host.devices)}};
    tables.push_back({host.name, ranktable::plain(nodes)});
  }
  return tables;
}

ranktable::Table table_of(const launcher::CardFacts& facts, const std::string& server_id,
                          const GenCommand& command) {
  ranktable::GenOptions options = command.table;
  options.listed = facts.cards;
  options.server_id = server_id;
  return ranktable::generate(options, launcher::addresses(facts, command.cards));
}

// All or nothing: throws if any host fails, and names every host that did.
std::vector<MergeInput> asked_tables(const std::vector<launcher::Host>& hosts, const GenCommand& command) {
  std::deque<launcher::CardProbe> probes;
  std::vector<launcher::NodeProbe*> pointers;
  pointers.reserve(hosts.size());
  for (const launcher::Host& host : hosts)
    pointers.push_back(&probes.emplace_back(launcher::questions(command.cards, cards_of(host, command))));
  AskedHosts asked = ask_hosts(hosts, command.nodes, pointers);
  std::vector<MergeInput> tables;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!asked.reasons[i].empty()) continue;
    const bool by_name = command.server_id == ServerId::name || command.nodes.reach->is_local();
    try {
      tables.push_back({hosts[i].name,
                        table_of(probes[i].facts(), by_name ? hosts[i].name : asked.addresses[i], command)});
    } catch (const std::exception& error) {
      asked.reasons[i] = error.what();
    }
  }
  require_all(hosts, asked.reasons, exit_failed, "nothing was written");
  return tables;
}

}  // namespace

std::optional<std::vector<int>> cards_of(const launcher::Host& host, const GenCommand& command) {
  if (host.asked_kind && host.asked_kind != launcher::DeviceKind::any &&
      host.asked_kind != launcher::DeviceKind::npu)
    throw ExitError(exit_usage, host.name + ": a rank table with card addresses is of NPUs alone");
  if (host.counted && !host.asked_kind) return host.devices;
  if (command.devices_per_node) return launcher::first_devices(*command.devices_per_node);
  return std::nullopt;
}

void gen_for_hosts(const GenCommand& command) {
  const std::vector<launcher::Host> hosts = hosts_in(command.nodes);
  const std::vector<MergeInput> tables =
      command.plain ? plain_tables(hosts, command) : asked_tables(hosts, command);
  const ranktable::Table table = ranktable::merge(tables, command.order).table;
  ranktable::require_valid(ranktable::validate(table), "the table of these hosts");
  deliver_generated(table, command, ranktable::merged_name(table));
}

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
