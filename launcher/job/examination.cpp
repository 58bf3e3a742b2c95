// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/examination.h"

#include "launcher/protocol/defaults.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds answer_time{10'000};
constexpr std::chrono::milliseconds slack{1'000};

// $1: the rank's process. A process with exactly one child, such as a shell, only waits: examine the child.
// clang-format off
constexpr const char* script = R"sh(
pid=$1
while set -- $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) && [ $# -eq 1 ]; do pid=$1; done
printf 'process %s: %s\n' "$pid" "$(tr '\0\n' '  ' <"/proc/$pid/cmdline")"
grep ^State: "/proc/$pid/status"
printf 'waits in the kernel in %s\n' "$(cat "/proc/$pid/wchan")"
cat "/proc/$pid/stack" 2>/dev/null
if command -v py-spy >/dev/null && py-spy dump --nonblocking --pid "$pid" 2>/dev/null; then
  exit 0
fi
if command -v gdb >/dev/null; then
  gdb -nx -batch -p "$pid" -ex 'thread apply all backtrace 16' 2>/dev/null | grep -E '^(Thread|#)'
fi
exit 0
)sh";
// clang-format on

}  // namespace

Examination::Examination(Clock::time_point begin) : end_(begin + answer_time + slack) {}

protocol::Query Examination::question(std::uint32_t rank, std::uint32_t pid) {
  open_.insert(rank);
  protocol::Query query;
  query.id = rank;
  query.argv = {"sh", "-c", script, "sh", std::to_string(pid)};
  query.deadline_ms = in_ms(answer_time);
  return query;
}

bool Examination::take(const protocol::Answer& answer) {
  if (open_.erase(answer.id) == 0) return false;
  const std::string& text = answer.outcome == protocol::Outcome::answered ? answer.out : answer.reason;
  found_[answer.id] = text.substr(0, protocol::Query().limit_bytes);
  return open_.empty();
}

}  // namespace adarun::launcher
