// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/report.h"

#include <algorithm>
#include <cstring>

namespace adarun::launcher {
int Report::exit_status() const {
  return failures.empty() ? 0 : failures.front().exit_status();
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

}  // namespace adarun::launcher
