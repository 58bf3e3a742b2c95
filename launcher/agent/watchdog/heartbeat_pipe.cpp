// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/watchdog/heartbeat_pipe.h"

#include <unistd.h>

#include <utility>

#include "launcher/agent/base/pipe.h"

namespace adarun::launcher::agent {
namespace {

constexpr int beats_per_timeout = 20;

}  // namespace

HeartbeatPipe::HeartbeatPipe(base::FileDescriptor pipe) : pipe_(std::move(pipe)) {
  set_nonblocking(pipe_.get());
}

void HeartbeatPipe::beat(Clock::time_point now, std::chrono::milliseconds timeout,
                         std::chrono::milliseconds starved) {
  if (now < next_ && timeout == timeout_) return;
  timeout_ = timeout;
  next_ = now + timeout / beats_per_timeout;
  say("beat " + std::to_string(timeout.count()) + ' ' + std::to_string(starved.count()));
}

void HeartbeatPipe::cut() {
  if (!has_said_cut_) has_said_cut_ = say("cut");
}

void HeartbeatPipe::add_folder(const std::string& folder) {
  say("folder " + folder);
}

void HeartbeatPipe::add_group(const std::string& path) {
  say("group " + path);
}

// If the watchdog is far behind or gone, a line is lost; nothing can be done about it.
bool HeartbeatPipe::say(const std::string& line) {
  const std::string text = line + '\n';
  return ::write(pipe_.get(), text.data(), text.size()) >= 0;
}

}  // namespace adarun::launcher::agent
