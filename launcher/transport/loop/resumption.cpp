// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/resumption.h"

#include <utility>

namespace adarun::launcher {

void Resumption::offer(const std::vector<std::string>& command) {
  require_resume_command(command);
  command_ = command;
}

void Resumption::begin(const std::string& why, Reconnector::Clock::time_point now) {
  if (cut_reason_.empty()) {
    cut_reason_ = why;
    events_.push({node_, LinkCut{why}});
  }
  if (reconnector_) return;
  if (now >= found_at_ + Reconnector::longest_pause) fruitless_ = 0;
  reconnector_ = std::make_unique<Reconnector>([this, command = command_] { return relink_(command); },
                                               closing_, now, fruitless_);
}

Reconnector::State Resumption::advance(Reconnector::Clock::time_point now) {
  const Reconnector::State state = reconnector_->advance(now);
  if (state == Reconnector::State::resumed) {
    found_at_ = now;
    ++fruitless_;
  }
  if (state != Reconnector::State::trying || told_ == reconnector_->reason()) return state;
  told_ = reconnector_->reason();
  if (!told_.empty()) events_.push({node_, LinkRemark{"no way back yet: " + told_}});
  return state;
}

void Resumption::confirm() {
  if (reconnector_ && !reconnector_->committed()) reconnector_.reset();
  if (cut_reason_.empty()) return;
  cut_reason_.clear();
  told_.clear();
  events_.push({node_, LinkResumed{}});
}

}  // namespace adarun::launcher
