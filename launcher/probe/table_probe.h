// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/card_sources.h"
#include "launcher/probe/probe_session.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"

namespace adarun::launcher {

/// A rank table to compare nodes with.
struct ReferenceTable {
  std::string text;        ///< The file, byte for byte.
  ranktable::Table table;  ///< The parsed file.
  std::string path;        ///< Path of the file on every node.
  CardSources sources;     ///< Where a node's card addresses are; both sources are read.
};

/// Checks one node against a rank table: that it has the same file, that it is one of the table's servers (by
/// a non-loopback address, its host name, or its name in the host list), and that its cards have the
/// addresses in the table. Borrows the table.
class TableProbe : public NodeProbe {
 public:
  TableProbe(const ReferenceTable& held, std::string host) : held_(held), host_(std::move(host)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  /// Index in the table of the server that the node is; nullopt: none.
  std::optional<std::size_t> server() const { return server_; }

  /// What is wrong, each with the path in the table; `found` does not name the node.
  const std::vector<ranktable::Finding>& findings() const { return findings_; }

 private:
  /// node -> server (its addresses and its table are requested) -> cards (it is a server of the table, and
  /// the table has addresses for its cards) -> over; server -> over if it is not, or the table has none.
  enum class State { node, server, cards, over };

  std::vector<protocol::Query> ask_cards();
  void compare_text(const protocol::Answer& answer);
  void find_server();
  void judge_cards();
  void judge_card(std::size_t device, const CardFacts& facts);

  const ReferenceTable& held_;
  std::string host_;
  State state_ = State::node;
  std::vector<std::string> addresses_;
  std::string hostname_;
  std::optional<std::size_t> server_;
  std::optional<CardProbe> cards_;
  std::vector<ranktable::Finding> findings_;
};

}  // namespace adarun::launcher
