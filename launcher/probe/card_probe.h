// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/node_probe.h"

namespace adarun::launcher {

/// Which of a card's network interfaces is asked for.
enum class Nic {
  card,     ///< Its own.
  virtual_  ///< The virtual one, as tables of A3 super pods have it.
};

/// What a node is asked about its cards (NPUs).
struct CardQuestions {
  std::optional<std::vector<int>> cards;  ///< Physical ids; unset: all that the node has.
  std::vector<std::string> tools;  ///< hccn_tool: the first of these that is there; empty: do not ask it.
  std::string conf;                ///< An hccn.conf; empty: do not read one.
  Nic nic = Nic::card;
  std::chrono::milliseconds deadline{30'000};  ///< Of the tool, for all cards of the node together.
  std::string device_folder = "/dev";          ///< Where the driver has a davinciN for each card.
};

/// What one source says of one card.
struct CardWord {
  enum class Kind {
    address,
    none,    ///< That it has no address.
    silent,  ///< Nothing about it.
    wrong,   ///< What is no address, or the source cannot be asked.
  };
  Kind kind = Kind::silent;
  std::string text;  ///< The address, canonical; or what is wrong, in one line that names source and card.

  bool operator==(const CardWord&) const = default;
};

/// What is known of a node's cards. Both maps hold every card that the source was asked about.
struct CardFacts {
  std::vector<int> cards;
  std::string tool;        ///< The program that was found; empty: none.
  std::string tool_error;  ///< Why none was.
  std::map<int, CardWord> tool_words;
  std::string conf_error;  ///< Why the hccn.conf cannot be read; empty: it can, or was not asked for.
  std::map<int, CardWord> conf_words;
};

/// The physical ids among the names of a device folder: "davinci0" is card 0, "davinci_manager" is none.
/// Sorted.
std::vector<int> cards_among(const std::vector<std::string>& names);

/// Finds out what hccn_tool and hccn.conf say of the cards of a node. Ends with an error only where the node
/// has no cards; what a source says is for others to judge.
class CardProbe : public NodeProbe {
 public:
  explicit CardProbe(CardQuestions questions) : questions_(std::move(questions)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  const CardFacts& facts() const { return facts_; }

 private:
  /// find -> sources (the cards are known or asked for) -> other_tools (the first tool and the file are
  /// asked)
  /// -> over (a tool has answered, or none is left; what has no address is asked for IPv6).
  enum class State { find, sources, other_tools, over };

  protocol::Query ask(std::vector<std::string> arguments) const;
  std::vector<protocol::Query> ask_next_tool();
  std::vector<protocol::Query> ask_for_ipv6() const;
  void take_tool(const protocol::Query& query, const protocol::Answer& answer);
  void take_conf(const protocol::Answer& answer);

  CardQuestions questions_;
  CardFacts facts_;
  State state_ = State::find;
  std::size_t tools_asked_ = 0;
};

}  // namespace adarun::launcher
