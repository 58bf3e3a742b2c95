// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/ranktable/ranktable.h"
#include "cli/options/node_options.h"
#include "launcher/probe/card_sources.h"
#include "ranktable/gen.h"
#include "ranktable/merge/merge.h"

namespace adarun::cli {

/// What a server is called in the table of a cluster.
enum class ServerId { address, name };

/// What `adarun ranktable gen` lets the user say.
struct GenCommand {
  ranktable::GenOptions table;
  std::optional<int> devices_per_node;
  bool plain = false;
  bool compare = false;
  launcher::CardSources cards;
  NodeOptions nodes;
  ranktable::Order order = ranktable::Order::given;
  ServerId server_id = ServerId::address;
  TableOutput output;
  std::vector<std::string> warnings;
};

/// Makes and delivers the table of all hosts. Throws; writes all or nothing.
void gen_for_hosts(const GenCommand& command);

/// Prints what hccn.conf and hccn_tool say, card by card, of this server or of all hosts: exit_done where
/// they agree, else exit_no. Throws Quit where a server cannot be compared.
int compare_cards(const GenCommand& command);

/// What to ask a host: the cards that the list says, or --device-num-per-node, or all that it has.
std::optional<std::vector<int>> cards_of(const launcher::Host& host, const GenCommand& command);

/// The IPv4 address that this machine's host name resolves to, as the reference generator takes it, or else
/// its first IPv6 address. Throws std::runtime_error where it does not resolve.
std::string own_address();

/// Whether other machines cannot reach this address: 127.x.x.x or ::1.
bool is_loopback(const std::string& address);

}  // namespace adarun::cli
