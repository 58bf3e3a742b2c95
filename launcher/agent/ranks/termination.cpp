// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/termination.h"

#include <signal.h>

#include "launcher/agent/ranks/descendants.h"

namespace adarun::launcher::agent {
namespace {

constexpr std::chrono::milliseconds between_kills{50};

}  // namespace

void Termination::begin(TerminationMode pace, Clock::time_point now) {
  if (state_ == State::over) return;
  if (pace == TerminationMode::at_once && state_ != State::killing) {
    state_ = State::killing;
    due_ = now;
  } else if (state_ == State::idle) {
    state_ = State::terming;
    due_ = now;
  }
}

bool Termination::tick(Clock::time_point now, const std::vector<pid_t>& groups) {
  if (!next() || now < due_) return false;
  if (state_ == State::terming) {
    signal_tree(SIGTERM, groups);
    signal_tree(SIGCONT, groups);  // A stopped process handles SIGTERM only after SIGCONT.
    state_ = State::waiting;
    due_ = now + grace_;
    return false;
  }
  state_ = State::killing;
  if (!kills_since_) kills_since_ = now;
  signal_tree(SIGKILL, groups);
  due_ = now + between_kills;
  return true;
}

std::optional<Clock::time_point> Termination::next() const {
  if (state_ == State::idle || state_ == State::over) return std::nullopt;
  return due_;
}

}  // namespace adarun::launcher::agent
