// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_diagnosis.h"

#include <algorithm>
#include <utility>

#include "base/describe.h"
#include "launcher/protocol/defaults.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds answer_time{10'000};
constexpr std::chrono::milliseconds slack{1'000};
constexpr std::size_t most_examined = 4;

// $1: the rank's process. $2: "facts", what the kernel knows, which takes no time, or "stack", by a debugger.
// A shell or another wrapper with exactly one child only waits for it: that child is the one to examine.
// What may wait for the process itself, as for the lock of its memory map, is asked for last.
// clang-format off
constexpr const char* script = R"sh(
pid=$1 what=$2
state() {
  while read -r key value; do [ "$key" != State: ] || echo "$value"; done <"/proc/$1/status"
} 2>/dev/null
running_children() {
  for child in $(cat "/proc/$1"/task/*/children); do
    case $(state "$child") in ''|Z*|X*) ;; *) echo "$child";; esac
  done
} 2>/dev/null
only_waits() {
  exe=$(readlink "/proc/$1/exe") exe=${exe% (deleted)}
  for name in "${exe##*/}" "$(cat "/proc/$1/comm")"; do
    case $name in sh|ash|bash|busybox|csh|dash|fish|ksh|ksh93|mksh|tcsh|zsh|zsh-static) return 0;; esac
    case $name in env|flock|nice|script|setsid|strace|su|sudo|time|timeout|tini|unshare|valgrind) return 0;; esac
  done
  [ "$(cat "/proc/$1/wchan")" = do_wait ]
} 2>/dev/null
command_line() {
  line=$(head -c 1000 "/proc/$1/cmdline" | tr '\0\n' '  ')
  [ ${#line} -lt 1000 ] || line="$line..."
  [ -n "$line" ] || line=$(cat "/proc/$1/comm")
  printf %s "${line% }"
} 2>/dev/null
wrappers=
while set -- $(running_children "$pid") && [ $# -eq 1 ] && only_waits "$pid"; do
  [ "$what" != facts ] || printf 'process %s: %s: waits for process %s\n' "$pid" "$(cat "/proc/$pid/comm")" "$1"
  wrappers="$wrappers $pid" pid=$1
done
if [ "$what" = facts ]; then
  printf 'process %s: %s\nState:\t%s\n' "$pid" "$(cat "/proc/$pid/comm")" "$(state "$pid")"
  printf 'waits in the kernel in %s\n' "$(cat "/proc/$pid/wchan")"
  cat "/proc/$pid/stack" 2>/dev/null
  for each in $pid $wrappers; do printf 'command line of process %s: %s\n' "$each" "$(command_line "$each")"; done
  listed=0
  for child; do
    [ $((listed += 1)) -le 8 ] || { echo "... and $(($# - 8)) more child processes"; break; }
    printf 'child process %s: %s, in the kernel in %s' "$child" "$(state "$child")" "$(cat "/proc/$child/wchan")"
    printf ': %s\n' "$(command_line "$child")"
  done
  exit 0
fi
if command -v py-spy >/dev/null; then
  echo py-spy:
  exec 3>&1
  if why=$(py-spy dump --nonblocking --pid "$pid" 2>&1 >&3 3>&-); then exit 0; fi
  exec 3>&-
  printf '  has failed: %s\n' "$(printf '%s\n' "${why:-it has said nothing}" | tail -n 1)"
fi
if command -v gdb >/dev/null; then
  echo gdb:
  gdb -nx -batch -p "$pid" -ex 'thread apply all backtrace 16' 2>&1 </dev/null | {
    other='it has said nothing' frames=0
    while IFS= read -r line; do
      case $line in Thread*|'#'*) printf '%s\n' "$line"; frames=1;; ?*) other=$line;; esac
    done
    [ $frames = 1 ] || printf '  has shown no stack: %s\n' "$other"
  }
fi
exit 0
)sh";
// clang-format on

protocol::Query question_about(std::uint32_t pid, bool is_stack) {
  protocol::Query query;
  query.argv = {"sh", "-c", script, "sh", std::to_string(pid), is_stack ? "stack" : "facts"};
  query.deadline_ms = in_ms(answer_time);
  return query;
}

std::string with_lines(const std::string& text, const std::string& lines) {
  return text + (text.empty() || lines.empty() || text.back() == '\n' ? "" : "\n") + lines;
}

std::string facts_in(const protocol::Answer& answer) {
  const std::string known = answer.out.substr(0, protocol::Query().limit_bytes);
  return answer.outcome == protocol::Outcome::answered ? known : with_lines(known, answer.reason + "\n");
}

// What the debuggers have shown. The script prints the name of each before it runs it.
std::string stack_in(const protocol::Answer& answer) {
  std::string text = answer.out.substr(0, protocol::Query().limit_bytes);
  if (answer.outcome == protocol::Outcome::answered) return text;
  if (answer.outcome == protocol::Outcome::too_much)
    return with_lines(text, "... the rest of this output is cut off\n");
  if (answer.outcome != protocol::Outcome::too_late) return with_lines(text, answer.reason + "\n");
  const std::string late = " within " + base::describe(answer_time);
  for (const std::string debugger : {"gdb", "py-spy"}) {
    const std::string heading = debugger + ":\n";
    if (!text.starts_with(heading) && text.find("\n" + heading) == std::string::npos) continue;
    if (text.ends_with(heading)) text.erase(text.size() - heading.size());
    return with_lines(text, debugger + ": has not ended" + late + "\n");
  }
  const bool had_turn = answer.reason.find(protocol::no_turn) == std::string::npos;
  return with_lines(
      text, had_turn ? "stack: the search for a debugger has not ended" + late + "\n"
                     : "stack: no debugger was started" + late + ": other ranks of the node came first\n");
}

}  // namespace

HangDiagnosis::HangDiagnosis(const Plan& plan, const Ranks& ranks, JobObserver& observer,
                             std::optional<std::chrono::milliseconds> timeout)
    : plan_(plan), ranks_(ranks), observer_(observer), watch_(plan.world_size(), timeout) {
  for (const Role& role : plan.options.roles)
    if (role.policy.background)
      for (const std::uint32_t rank : role.ranks) watch_.leave_out(rank);
}

std::optional<HangDiagnosis::Clock::time_point> HangDiagnosis::deadline() const {
  if (end_) return end_;
  const auto hangs = watch_.deadline();
  return hangs ? std::min(hangs, watch_.next_look()) : hangs;
}

std::optional<Failure> HangDiagnosis::tick(Clock::time_point now, Nodes& nodes) {
  if (end_) return now >= *end_ ? conclude(now) : std::nullopt;
  if (job_hangs(now)) {
    examine(Why::job_hangs, watch_.suspects(), now, nodes);
  } else if (watch_.next_look() && now >= *watch_.next_look()) {
    name_stragglers(now, nodes);
  }
  return std::nullopt;
}

std::optional<Failure> HangDiagnosis::take(std::uint32_t node, const protocol::Answer& answer,
                                           Clock::time_point now) {
  const auto awaited = open_.find(answer.id);
  if (awaited == open_.end()) return std::nullopt;
  const Asked asked = awaited->second;
  if (plan_.node_of_rank[asked.rank] != node) return std::nullopt;
  std::string& known = found_[asked.rank];
  known = asked.is_stack ? with_lines(known, stack_in(answer)) : with_lines(facts_in(answer), known);
  open_.erase(awaited);
  return open_.empty() ? conclude(now) : std::nullopt;
}

bool HangDiagnosis::job_hangs(Clock::time_point now) const {
  return watch_.deadline() && now >= *watch_.deadline();
}

void HangDiagnosis::name_stragglers(Clock::time_point now, Nodes& nodes) {
  const std::vector<HangWatch::Straggler> all = watch_.take_stragglers(now);
  if (all.empty()) return;
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < std::min(all.size(), most_examined); ++i) {
    ranks.push_back(all[i].rank);
    observer_.on_notice(describe_straggler(all[i], now));
  }
  if (all.size() > ranks.size())
    observer_.on_notice("... and " + std::to_string(all.size() - ranks.size()) +
                        " more ranks stay behind likewise: adarun status " + plan_.job_id);
  examine(Why::stays_behind, ranks, now, nodes);
}

std::string HangDiagnosis::describe_straggler(const HangWatch::Straggler& straggler,
                                              Clock::time_point now) const {
  const std::uint32_t rank = straggler.rank;
  const auto step = watch_.step_of(rank);
  std::string text = describe_rank(plan_, rank);
  text += straggler.prints
              ? " prints, but has made no step for " + base::describe(watch_.since_step(rank, now))
              : " has been silent for " + base::describe(watch_.silence(rank, now));
  if (step) text += " (its last step is " + std::to_string(*step) + ")";
  return text + ", while most ranks continue; the job continues, too";
}

// `ranks`: those furthest behind first; the first one blocks the others. A node runs one program after
// another, in the order of the queries: a debugger may take all the time that there is, so that the facts
// come first.
void HangDiagnosis::examine(Why why, const std::vector<std::uint32_t>& ranks, Clock::time_point now,
                            Nodes& nodes) {
  why_ = why;
  end_ = now + answer_time + slack;
  for (const bool is_stack : {false, true})
    for (std::size_t i = 0; i < std::min(ranks.size(), most_examined); ++i) {
      if (!ranks_.has_begun(ranks[i])) continue;
      protocol::Query query = question_about(ranks_.records()[ranks[i]].pid, is_stack);
      query.id = next_query_++;
      open_[query.id] = {ranks[i], is_stack};
      nodes.send(plan_.node_of_rank[ranks[i]], query);
    }
}

// If a rank has printed in the meantime, the job does not hang and continues.
std::optional<Failure> HangDiagnosis::conclude(Clock::time_point now) {
  end_.reset();
  open_.clear();
  const std::map<std::uint32_t, std::string> answers = std::exchange(found_, {});
  const std::vector<std::uint32_t> all = watch_.suspects();
  if (all.empty() || (why_ == Why::job_hangs && !job_hangs(now))) return std::nullopt;
  const auto waiting =
      std::ranges::find_if(all, [this](std::uint32_t each) { return !ranks_.has_begun(each); });
  const bool has_not_begun = why_ == Why::job_hangs && waiting != all.end();
  bool foremost = !has_not_begun;
  for (const std::uint32_t each : all)
    if (const auto found = answers.find(each); found != answers.end())
      observer_.on_examined({each, why_, std::exchange(foremost, false), found->second});
  if (why_ == Why::stays_behind) return std::nullopt;
  const std::uint32_t rank = has_not_begun ? *waiting : all.front();
  if (has_not_begun)
    return rank_failure(plan_, rank, Failure::Kind::hung,
                        " hangs: it was to start " + base::describe(watch_.silence(rank, now)) +
                            " ago, and its program has not begun: does the file system of its program or of "
                            "its working directory answer?");
  std::string how =
      " hangs: silent for " + base::describe(watch_.silence(rank, now)) + ", as are all ranks that run";
  if (const auto step = watch_.step_of(rank)) how += "; its last step is " + std::to_string(*step);
  return rank_failure(plan_, rank, Failure::Kind::hung, how);
}

}  // namespace adarun::launcher
