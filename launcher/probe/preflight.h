// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/node_facts.h"
#include "launcher/probe/node_probe.h"

namespace adarun::launcher {

/// What to look at on every node.
struct PreflightOptions {
  std::string workdir;               ///< The folder that ranks start in.
  std::string program;               ///< What they run; empty: nothing to look for.
  std::vector<std::string> folders;  ///< Whose free space counts, besides `workdir`.
  std::vector<std::string> peers;    ///< "HOST PORT", to be reached by TCP.
};

/// Finds out the facts of one node: its clock first, then all the rest at once.
class Preflight : public NodeProbe {
 public:
  explicit Preflight(PreflightOptions options) : options_(std::move(options)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  const NodeFacts& facts() const { return facts_; }

 private:
  using Clock = std::chrono::system_clock;
  using Take = std::function<void(const protocol::Answer&)>;

  void ask(protocol::Query query, Take take);
  void ask_the_time();
  void ask_the_system();
  void ask_for_libraries();
  void ask_for_space();
  void ask_for_the_program();
  void ask_for_peers();

  PreflightOptions options_;
  NodeFacts facts_;
  Clock::time_point asked_;
  std::vector<protocol::Query> queries_;  ///< Of this round.
  std::vector<Take> takes_;               ///< What is done with the answers, by the number of the query.
};

}  // namespace adarun::launcher
