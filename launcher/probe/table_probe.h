// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/card_sources.h"
#include "launcher/probe/node_probe.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"

namespace adarun::launcher {

/// A rank table that nodes are held to.
struct HeldTable {
  std::string text;        ///< The file, byte for byte.
  ranktable::Table table;  ///< What it says.
  std::string path;        ///< Where every node has it.
  CardSources sources;     ///< Where a node's card addresses are: both sources are looked at.
};

/// Holds one node to a rank table: that it has the same file, is one of its servers (by an address of its own
/// other than loopback, its host name, or its name in the host list), and that its cards have the addresses
/// of the table. Borrows the table.
class TableProbe : public NodeProbe {
 public:
  TableProbe(const HeldTable& held, std::string host) : held_(held), host_(std::move(host)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  /// Which server of the table the node is; unset: none.
  std::optional<std::size_t> server() const { return server_; }

  /// What is wrong, with the path in the table; `found` does not name the node.
  const std::vector<ranktable::Finding>& findings() const { return findings_; }

 private:
  /// node -> server (its addresses and its table are asked for) -> cards (it is a server of the table, whose
  /// cards have addresses) -> over; server -> over where it is none, or they have none.
  enum class State { node, server, cards, over };

  std::vector<protocol::Query> ask_cards();
  void compare_text(const protocol::Answer& answer);
  void find_server();
  void judge_cards();
  void judge_card(std::size_t device, const CardFacts& facts);

  const HeldTable& held_;
  std::string host_;
  State state_ = State::node;
  std::vector<std::string> addresses_;
  std::string hostname_;
  std::optional<std::size_t> server_;
  std::optional<CardProbe> cards_;
  std::vector<ranktable::Finding> findings_;
};

}  // namespace adarun::launcher
