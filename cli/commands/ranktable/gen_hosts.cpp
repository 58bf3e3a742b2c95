// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "cli/arguments/command.h"
#include "cli/commands/ranktable/gen.h"
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
      throw Quit(exit_usage, host.name + ":" + launcher::name_of(*host.asked_kind) +
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
    throw Quit(exit_usage, host.name + ": a rank table with card addresses is of NPUs alone");
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

}  // namespace adarun::cli
