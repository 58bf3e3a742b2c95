// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/probe/probe_session.h"

namespace adarun::launcher {

/// What messages over a link cost.
struct LinkCosts {
  double message_s = 0;  ///< Of a small message, one way.
  double bytes_per_s = 0;

  bool operator==(const LinkCosts&) const = default;
};

/// How fast a node is while its ranks run.
struct NodeSpeed {
  double copied_bytes_per_s = 0;        ///< Of all ranks together.
  double operations_per_s = 0;          ///< Of one rank, float32.
  LinkCosts cores;                      ///< Between two cores of a NUMA node.
  std::optional<LinkCosts> numa_nodes;  ///< Between two NUMA nodes; none: there is one.

  bool operator==(const NodeSpeed&) const = default;
};

/// A link from one node to another.
struct MeasuredLink {
  std::size_t from = 0;
  std::size_t to = 0;
  LinkCosts costs;
  std::string reason;  ///< Why it could not be measured; empty: it was.

  bool operator==(const MeasuredLink&) const = default;
};

/// What was measured, by the index of the node.
struct LinkReport {
  std::vector<std::string> reasons;  ///< Why a node has failed, one line without its name; empty: it has not.
  std::vector<std::optional<NodeSpeed>> speeds;
  std::vector<MeasuredLink> links;  ///< Both directions of each pair, as far as they were measured.
};

/// How many rounds it takes until each of `nodes` has met each other one, one at a time: nodes - 1, or as
/// many as there are nodes if that is odd.
std::size_t rounds_of(std::size_t nodes);

/// Whom `node` meets in a round; nullopt: nobody. With an even number, all nodes meet somebody in each round.
std::optional<std::size_t> partner_of(std::size_t node, std::size_t round, std::size_t nodes);

/// A node whose links are measured.
struct LinkNode {
  std::string address;    ///< IPv4 or IPv6, at which the other nodes reach it.
  std::size_t ranks = 1;  ///< That would run on it.
};

/// Measures the speed of all nodes, then the links between them: in the first step all nodes at once, then in
/// steps of pairs that have no node in common, so that no link waits for another one. A node that fails, or
/// three links of which have failed and fewer have not, is left out from then on.
class LinkMeasurement {
 public:
  /// With more nodes than this and one, each meets only as many others, chosen evenly.
  static constexpr std::size_t most_partners = 255;

  /// `secret` is what nodes say to each other first: 32 characters that cannot be guessed.
  LinkMeasurement(std::vector<LinkNode> nodes, std::string secret);

  /// How many steps there are, and which one is done now.
  std::size_t steps() const { return steps_; }
  std::size_t step() const { return step_; }

  /// What to ask a node in this step; may be empty.
  std::vector<protocol::Query> questions(std::size_t node) const;
  void take(std::size_t node, const protocol::Query& query, const protocol::Answer& answer);

  /// A node has answered all questions of this step.
  void finish(std::size_t node);

  /// It has failed.
  void lose(std::size_t node);

  const LinkReport& report() const { return report_; }

 private:
  struct NodeState {
    LinkNode node;
    std::uint16_t port = 0;  ///< 0: it does not listen.
    bool finished = false;   ///< With this step.
    bool lost = false;
    std::size_t measured = 0;  ///< Links.
    std::size_t failed = 0;

    /// It is not measured any more: each of its links would last until its deadline.
    bool is_given_up() const { return failed >= 3 && failed > measured; }
  };

  std::optional<std::size_t> partner(std::size_t node) const;
  bool asks(std::size_t node, std::size_t partner) const;
  void take_speed(std::size_t node, const protocol::Answer& answer);
  void take_link(std::size_t node, const protocol::Answer& answer);
  void advance();

  std::vector<NodeState> nodes_;
  std::string secret_;
  std::size_t steps_;
  std::size_t step_ = 0;
  LinkReport report_;
};

/// One node's part of it: done only when all are, since a node serves the others' ends of links. Borrows the
/// measurement.
class LinkProbe : public NodeProbe {
 public:
  LinkProbe(LinkMeasurement& measurement, std::size_t node) : measurement_(measurement), node_(node) {}

  std::vector<protocol::Query> next() override;
  bool waits() const override { return measurement_.step() < measurement_.steps(); }
  std::size_t turn() const override { return measurement_.step(); }
  void take(const protocol::Query& query, const protocol::Answer& answer) override {
    measurement_.take(node_, query, answer);
  }
  void lose() override { measurement_.lose(node_); }

 private:
  LinkMeasurement& measurement_;
  std::size_t node_;
  std::size_t finished_ = 0;  ///< Steps.
  bool has_asked_ = false;    ///< In this step.
};

}  // namespace adarun::launcher
