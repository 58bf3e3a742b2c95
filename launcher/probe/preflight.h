// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/node_facts.h"
#include "launcher/probe/node_probe.h"

namespace adarun::launcher {

/// What to check on every node.
struct PreflightOptions {
  std::string workdir;               ///< The folder that ranks start in.
  std::string program;               ///< What the ranks run; empty: do not check.
  std::vector<std::string> folders;  ///< Folders whose free space to check, besides `workdir`.
  std::vector<std::string> peers;    ///< "HOST PORT" of TCP servers that the node should reach.
};

/// Gets the facts of one node: its clock first, whether it reaches its peers last, between them all the rest
/// at once.
class Preflight : public NodeProbe {
 public:
  explicit Preflight(PreflightOptions options) : options_(std::move(options)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;

  const NodeFacts& facts() const { return facts_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Take = std::function<void(const protocol::Answer&)>;

  void ask(protocol::Query query, Take take);
  void ask_of_round(std::size_t round);
  void ask_the_time();
  void ask_the_system();
  void ask_for_libraries();
  void ask_for_space();
  void ask_for_the_program();
  void ask_for_peers();

  PreflightOptions options_;
  NodeFacts facts_;
  std::size_t round_ = 0;  ///< The next one.
  Clock::time_point asked_;
  std::int64_t asked_ns_ = 0;             ///< The same, by the wall clock.
  std::vector<protocol::Query> queries_;  ///< Of this round.
  std::vector<Take> takes_;               ///< Handlers of the answers, by index of the query.
};

}  // namespace adarun::launcher
