// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/failure.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/system_text.h"
#include "launcher/job/job_signals.h"

namespace adarun::launcher {
namespace {

constexpr int status_out_of_time = 124;
constexpr int status_failed = 125;
constexpr int status_not_executable = 126;
constexpr int status_not_found = 127;
constexpr int status_signal = 128;
constexpr int status_mask = 255;

Failure::Kind kind_of(protocol::StartFailure failure) {
  switch (failure) {
    case protocol::StartFailure::not_executable:
      return Failure::Kind::not_executable;
    case protocol::StartFailure::not_found:
      return Failure::Kind::not_found;
    case protocol::StartFailure::could_not_start:
    case protocol::StartFailure::refused:
      break;
  }
  return Failure::Kind::could_not_start;
}

}  // namespace

int Failure::exit_status() const {
  switch (kind) {
    case Kind::could_not_start:
    case Kind::node_lost:
    case Kind::broken:
    case Kind::resized:
      return status_failed;
    case Kind::not_executable:
      return status_not_executable;
    case Kind::not_found:
      return status_not_found;
    case Kind::timed_out:
    case Kind::hung:
      return status_out_of_time;
    case Kind::interrupted:
      return status_signal + signal;
    case Kind::rank_failed:
      return signal != 0 ? status_signal + signal : std::max(1, code);
    case Kind::aborted:
    case Kind::spawned:
      return std::max(1, code & status_mask);
  }
  return status_failed;
}

const char* name_of(Failure::Kind kind) {
  using Kind = Failure::Kind;
  constexpr std::array names{
      std::pair{Kind::could_not_start, "could_not_start"},
      std::pair{Kind::not_executable, "not_executable"},
      std::pair{Kind::not_found, "not_found"},
      std::pair{Kind::rank_failed, "rank_failed"},
      std::pair{Kind::aborted, "aborted"},
      std::pair{Kind::spawned, "spawned"},
      std::pair{Kind::node_lost, "node_lost"},
      std::pair{Kind::timed_out, "timed_out"},
      std::pair{Kind::hung, "hung"},
      std::pair{Kind::interrupted, "interrupted"},
      std::pair{Kind::resized, "resized"},
      std::pair{Kind::broken, "broken"},
  };
  static_assert(names.size() == static_cast<std::size_t>(Kind::broken) + 1, "a name for each kind");
  return std::find_if(names.begin(), names.end(), [kind](const auto& each) { return each.first == kind; })
      ->second;
}

Failure job_failure(Failure::Kind kind, const std::string& message) {
  return {kind, {}, {}, 0, 0, message};
}

Failure node_failure(const Plan& plan, std::uint32_t node, Failure::Kind kind, const std::string& why) {
  return {kind, {}, node, 0, 0, plan.nodes[node].host.name + ": " + base::clean_line(why)};
}

Failure node_failure(const Plan& plan, std::uint32_t node, const protocol::Failed& failed) {
  return node_failure(plan, node, kind_of(failed.failure), failed.message);
}

Failure rank_failure(const Plan& plan, std::uint32_t rank, Failure::Kind kind, const std::string& how) {
  return {kind, rank, plan.node_of_rank[rank], 0, 0, describe_rank(plan, rank) + how};
}

Failure interrupt_failure(int signal) {
  const auto ended = [](int number, const std::string& why) {
    return Failure{Failure::Kind::interrupted, {}, {}, 0, number, why};
  };
  if (signal == stop_signal()) return ended(SIGINT, "ended by adarun stop");
  if (signal == SIGPIPE) return ended(signal, "nobody reads the output any more (SIGPIPE)");
  return ended(signal, "interrupted by SIG" + base::signal_name(signal));
}

Failure timeout_failure(std::chrono::milliseconds time) {
  return job_failure(Failure::Kind::timed_out, "out of time: the job ran for " + base::describe(time));
}

std::string describe_rank(const Plan& plan, std::uint32_t rank) {
  const Role* role = plan.role_of(rank);
  return "rank " + std::to_string(rank) + " on " + plan.nodes[plan.node_of_rank[rank]].host.name +
         " (device " + std::to_string(plan.device_of_rank[rank]) +
         (role == nullptr ? "" : ", role " + role->name) + ")";
}

}  // namespace adarun::launcher
