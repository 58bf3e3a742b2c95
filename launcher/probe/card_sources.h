// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/probe_session.h"
#include "ranktable/operations/gen.h"

namespace adarun::launcher {

/// Which network interface of a card to query.
enum class Nic {
  card,     ///< The card's own.
  virtual_  ///< The virtual one, used in tables of A3 super pods.
};

/// What to ask a node about its cards (NPUs).
struct CardQuery {
  std::optional<std::vector<int>> cards;  ///< Physical ids; unset: all that the node has.
  /// Paths of hccn_tool; the first that exists is used; empty: do not run it.
  std::vector<std::string> tools;
  std::string conf;  ///< Path of hccn.conf; empty: do not read it.
  Nic nic = Nic::card;
  std::chrono::milliseconds deadline{30'000};  ///< Of the tool, for all cards of the node together.
  std::string device_folder = "/dev";          ///< Holds a device file davinciN for each card.
};

/// What one source reports about one card.
struct CardAddressReply {
  enum class Kind {
    address,
    none,    ///< It reports that the card has no address.
    silent,  ///< It reports nothing about the card.
    wrong,   ///< It reports an invalid address, or cannot be read.
  };
  Kind kind = Kind::silent;
  /// The address in canonical form; or what is wrong, one line that names source and card.
  std::string text;

  bool operator==(const CardAddressReply&) const = default;
};

/// What was found about a node's cards. Both maps hold every card that the source was asked about.
struct CardFacts {
  std::vector<int> cards;
  std::string tool;        ///< The program that was found; empty: none.
  std::string tool_error;  ///< Why no program was found.
  std::map<int, CardAddressReply> tool_words;
  std::string conf_error;  ///< Why hccn.conf cannot be read; empty: it was read, or not requested.
  std::map<int, CardAddressReply> conf_words;
};

/// The physical ids of the cards among the file names of a device folder, sorted: "davinci0" is card 0,
/// "davinci_manager" is not a card.
std::vector<int> cards_among(const std::vector<std::string>& names);

/// Reads what hccn_tool and hccn.conf report about the cards of a node. Fails only if the node has no cards;
/// the caller judges what the sources report.
class CardProbe : public NodeProbe {
 public:
  explicit CardProbe(CardQuery questions) : questions_(std::move(questions)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  const CardFacts& facts() const { return facts_; }

 private:
  /// find -> sources (the cards are known or requested) -> other_tools (the first tool and the file are
  /// asked) -> over (a tool has answered, or none is left; cards without an address are asked for IPv6).
  enum class State { find, sources, other_tools, over };

  protocol::Query ask(std::vector<std::string> arguments) const;
  std::vector<protocol::Query> ask_next_tool();
  std::vector<protocol::Query> ask_for_ipv6() const;
  void take_tool(const protocol::Query& query, const protocol::Answer& answer);
  void take_conf(const protocol::Answer& answer);

  CardQuery questions_;
  CardFacts facts_;
  State state_ = State::find;
  std::size_t tools_asked_ = 0;
};

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
