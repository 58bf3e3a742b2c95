// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/probe/card_probe.h"
#include "ranktable/gen.h"

namespace adarun::launcher {

/// Where the addresses of a server's cards are to come from. Both are paths there.
struct CardSources {
  std::string hccn_conf;  ///< This file alone; empty: see below.
  std::string
      hccn_tool;        ///< This program alone; empty: hccn_tool, then /etc/hccn.conf where it says nothing.
  Nic nic = Nic::card;  ///< A virtual NIC is in no hccn.conf: the tool alone, then.
  std::chrono::milliseconds deadline{30'000};  ///< Of the tool, for all cards of a server together.
};

/// What to ask a server whose cards are `cards` (unset: all that it has).
CardQuestions questions(const CardSources& sources, std::optional<std::vector<int>> cards);

/// What to ask for a comparison of both sources, each where `sources` says, or else in its usual place; of
/// virtual NICs, the tool alone.
CardQuestions comparison_questions(const CardSources& sources, std::optional<std::vector<int>> cards);

/// The addresses of all cards, by the answers to `questions`. Throws Error, in one line that names the source
/// and the first card, where one has none.
ranktable::CardAddresses addresses(const CardFacts& facts, const CardSources& sources);

/// What the two sources say of one card.
struct ComparedCard {
  enum class Agreement { same, differ, conf_alone, tool_alone, neither };
  int card = 0;
  std::string conf;  ///< Its address; empty: none.
  std::string tool;
  Agreement agreement = Agreement::same;
  std::string reason;  ///< What is wrong with a source that gives something else than an address.

  bool operator==(const ComparedCard&) const = default;
};

/// Card by card, by the answers to `comparison_questions`. Throws Error where one of the two is not there.
std::vector<ComparedCard> compare(const CardFacts& facts);

/// "same", "differ", "in hccn.conf alone", ...
const char* name_of(ComparedCard::Agreement agreement);

}  // namespace adarun::launcher
