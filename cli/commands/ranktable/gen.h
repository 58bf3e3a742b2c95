// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/node_options.h"
#include "cli/commands/ranktable/group_options.h"
#include "cli/commands/ranktable/ranktable.h"
#include "launcher/probe/card_sources.h"
#include "ranktable/operations/gen.h"
#include "ranktable/operations/merge.h"

namespace adarun::cli {

/// What to use as server_id in the table of a cluster.
enum class ServerId { address, name };

/// The options of `adarun ranktable gen`.
struct GenCommand {
  ranktable::GenOptions table;
  std::optional<int> devices_per_node;
  bool plain = false;
  bool compare = false;
  launcher::CardSources cards;
  NodeOptions nodes;
  ranktable::Order order = ranktable::Order::given;
  std::optional<ServerId> server_id;  ///< Nothing: the address; with `plain`, the name.
  GroupOptions groups;
  TableOutput output;
  std::vector<std::string> warnings;
};

/// Writes the table, or with --role its groups, to -o, or to `file`, or, for groups, global_ranktable.json.
void deliver_generated(const ranktable::Table& table, const GenCommand& command, const std::string& file);

/// Makes the table of all hosts and writes it. Throws on failure; then nothing is written.
void gen_for_hosts(const GenCommand& command);

/// Prints card by card what hccn.conf and hccn_tool report, for this server or for all hosts. Returns
/// exit_done if they agree, else exit_no. Throws ExitError if a server cannot be compared.
int compare_cards(const GenCommand& command);

/// The cards to ask a host about: those in the host list, or --device-num-per-node of them, else nullopt for
/// all that it has.
std::optional<std::vector<int>> cards_of(const launcher::Host& host, const GenCommand& command);

/// The IPv4 address that this machine's host name resolves to, as in the reference generator, else its first
/// IPv6 address. Throws std::runtime_error if it does not resolve.
std::string own_address();

/// Whether other machines cannot reach this address: 127.x.x.x or ::1.
bool is_loopback(const std::string& address);

}  // namespace adarun::cli
