// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/connect_times.h"

#include "base/describe.h"
#include "launcher/transport/loop/link.h"

namespace adarun::launcher {

void ConnectTimes::take(const LinkStep& step) {
  if (begun_ns_ == 0) begun_ns_ = step.time_ns;
  if (step.name.starts_with(login_shell_step)) {
    shell_ = step.name;
    shell_ns_ = step.time_ns;
  } else {
    end(step.time_ns);
  }
}

void ConnectTimes::end(std::int64_t now_ns) {
  if (shell_ns_ != 0 && shell_end_ns_ == 0) shell_end_ns_ = now_ns;
}

std::string ConnectTimes::text() const {
  if (!is_slow()) return "";
  return "log in " + base::describe(time(begun_ns_, shell_ns_)) + ", the " + shell_ + " " +
         base::describe(shell_time()) + ": its start-up files?";
}

}  // namespace adarun::launcher
