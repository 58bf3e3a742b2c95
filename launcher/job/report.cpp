// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/report.h"

#include <algorithm>
#include <cstring>

namespace adarun::launcher {
namespace {

constexpr int status_out_of_time = 124;
constexpr int status_failed = 125;
constexpr int status_not_executable = 126;
constexpr int status_not_found = 127;
constexpr int status_signal = 128;
constexpr int status_mask = 255;

int status_of(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::could_not_start:
    case Failure::Kind::node_lost:
    case Failure::Kind::broken:
      return status_failed;
    case Failure::Kind::not_executable:
      return status_not_executable;
    case Failure::Kind::not_found:
      return status_not_found;
    case Failure::Kind::timed_out:
    case Failure::Kind::hung:
      return status_out_of_time;
    case Failure::Kind::interrupted:
      return status_signal + failure.signal;
    case Failure::Kind::rank_failed:
      return failure.signal != 0 ? status_signal + failure.signal : std::max(1, failure.code);
    case Failure::Kind::aborted:
      return std::max(1, failure.code & status_mask);
  }
  return status_failed;
}

}  // namespace

int Report::exit_status() const {
  return failures.empty() ? 0 : status_of(failures.front());
}

bool Report::was_cut_short() const {
  return std::any_of(failures.begin(), failures.end(), [](const Failure& failure) {
    return failure.kind == Failure::Kind::interrupted || failure.kind == Failure::Kind::timed_out;
  });
}

std::size_t Report::count(RankState state) const {
  return static_cast<std::size_t>(
      std::count_if(ranks.begin(), ranks.end(), [&](const RankRecord& rank) { return rank.state == state; }));
}

const char* name_of(RankState state) {
  switch (state) {
    case RankState::waiting:
      return "waiting";
    case RankState::running:
      return "running";
    case RankState::done:
      return "done";
    case RankState::failed:
      return "failed";
    case RankState::stopped:
      return "stopped";
    case RankState::lost:
      return "lost";
  }
  return "unknown";
}

std::string describe_end(int code, int signal, bool core_dumped) {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* name = sigabbrev_np(signal);
  const char* words = sigdescr_np(signal);
  std::string text = name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
  if (words != nullptr) text += " (" + std::string(words) + ")";
  return core_dumped ? text + ", core dumped" : text;
}

std::string describe_rank(const Plan& plan, std::uint32_t rank) {
  return "rank " + std::to_string(rank) + " on " + plan.nodes[plan.node_of_rank[rank]].host.name +
         " (device " + std::to_string(plan.device_of_rank[rank]) + ")";
}

}  // namespace adarun::launcher
