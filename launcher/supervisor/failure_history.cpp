// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/failure_history.h"

#include <cstring>

namespace adarun::launcher {
namespace {

using Kind = Failure::Kind;

std::string exit_text(const Failure& failure) {
  if (failure.kind == Kind::aborted) return "MPI_Abort(" + std::to_string(failure.code) + ")";
  if (failure.signal == 0) return "exit code " + std::to_string(failure.code);
  const char* name = sigabbrev_np(failure.signal);
  return name == nullptr ? "signal " + std::to_string(failure.signal) : "SIG" + std::string(name);
}

std::string enumerated(const std::set<std::string>& names) {
  std::string text;
  std::size_t left = names.size();
  for (const std::string& name : names) {
    text += name;
    if (--left > 0) text += left == 1 ? " and " : ", ";
  }
  return text;
}

}  // namespace

bool FailureHistory::add(const Plan& plan, const JobReport& report) {
  const Failure& first = report.failures.front();
  const bool is_of_rank = first.kind == Kind::rank_failed || first.kind == Kind::aborted;
  if (!is_of_rank || !first.rank) {
    clear();
    return false;
  }
  const auto node_of = [&plan](std::uint32_t rank) { return plan.nodes[plan.node_of_rank[rank]].host.name; };
  Entry& entry = entries_.emplace_back(Entry{*first.rank, exit_text(first), {node_of(*first.rank)}});
  for (const std::uint32_t rank : report.beside) entry.nodes.insert(node_of(rank));
  return true;
}

std::optional<std::string> FailureHistory::suspect() const {
  if (entries_.size() < 2) return std::nullopt;
  const std::set<std::string>& last = entries_.back().nodes;
  if (last.size() > 1 || last != entries_[entries_.size() - 2].nodes) return std::nullopt;
  return *last.begin();
}

// A node that is at fault makes other ranks fail once its ranks run elsewhere.
bool FailureHistory::Entry::is_like(const Entry& other) const {
  return how == other.how && (rank == other.rank || (nodes.size() > 1 && other.nodes.size() > 1));
}

std::optional<std::string> FailureHistory::everywhere() const {
  std::set<std::string> nodes;
  std::size_t alike = 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && entry->is_like(entries_.back()); ++entry) {
    nodes.insert(entry->nodes.begin(), entry->nodes.end());
    ++alike;
  }
  if (alike < 2 || nodes.size() < 2) return std::nullopt;
  return entries_.back().how + " on " + enumerated(nodes);
}

}  // namespace adarun::launcher
