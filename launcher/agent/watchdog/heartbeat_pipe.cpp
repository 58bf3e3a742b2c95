// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/watchdog/heartbeat_pipe.h"

#include <unistd.h>

#include <utility>

#include "launcher/agent/base/pipe.h"

namespace adarun::launcher::agent {
namespace {

constexpr int beats_per_patience = 5;

}  // namespace

Lifeline::Lifeline(base::FileDescriptor pipe) : pipe_(std::move(pipe)) {
  set_nonblocking(pipe_.get());
}

void Lifeline::beat(Clock::time_point now, std::chrono::milliseconds patience) {
  if (now < next_ && patience == patience_) return;
  patience_ = patience;
  next_ = now + patience / beats_per_patience;
  say("beat " + std::to_string(patience.count()));
}

void Lifeline::cut() {
  if (!has_said_cut_) has_said_cut_ = say("cut");
}

void Lifeline::bequeath(const std::string& folder) {
  say("folder " + folder);
}

void Lifeline::bequeath_group(const std::string& path) {
  say("group " + path);
}

// A guardian that is far behind, or gone, misses a line: there is nothing to be done about it.
bool Lifeline::say(const std::string& line) {
  const std::string text = line + '\n';
  return ::write(pipe_.get(), text.data(), text.size()) >= 0;
}

}  // namespace adarun::launcher::agent
