// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/probe/card_probe.h"
#include "ranktable/operations/gen.h"

namespace adarun::launcher {

/// Where to get the addresses of a server's cards. Both are paths on the server.
struct CardSources {
  std::string hccn_conf;  ///< Use only this file; empty: see below.
  /// Use only this program; empty: hccn_tool, or /etc/hccn.conf if the tool has no answer.
  std::string hccn_tool;
  Nic nic = Nic::card;  ///< Virtual NICs are not in hccn.conf, so for them only the tool is used.
  std::chrono::milliseconds deadline{30'000};  ///< Of the tool, for all cards of a server together.
};

/// What to ask a server whose cards are `cards` (unset: all that it has).
CardQuery questions(const CardSources& sources, std::optional<std::vector<int>> cards);

/// What to ask in order to compare both sources, each at the path in `sources`, else at its default path. For
/// virtual NICs, only the tool.
CardQuery comparison_questions(const CardSources& sources, std::optional<std::vector<int>> cards);

/// The addresses of all cards, from the answers to `questions`. Throws Error if a card has none: one line
/// that names the source and the first such card.
ranktable::CardAddresses addresses(const CardFacts& facts, const CardSources& sources);

/// What the two sources report about one card.
struct ComparedCard {
  enum class Agreement { same, differ, conf_alone, tool_alone, neither };
  int card = 0;
  std::string conf;  ///< Address in hccn.conf; empty: none.
  std::string tool;
  Agreement agreement = Agreement::same;
  std::string reason;  ///< What is wrong with a source that does not report a valid address.

  bool operator==(const ComparedCard&) const = default;
};

/// Compares card by card, from the answers to `comparison_questions`. Throws Error if one of the two sources
/// is missing.
std::vector<ComparedCard> compare(const CardFacts& facts);

/// "same", "differ", "in hccn.conf alone", ...
const char* name_of(ComparedCard::Agreement agreement);

}  // namespace adarun::launcher
