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

// $1: the rank's process. A process with exactly one child, such as a shell, only waits: examine the child.
// clang-format off
constexpr const char* script = R"sh(
pid=$1
while set -- $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) && [ $# -eq 1 ]; do pid=$1; done
printf 'process %s: %s\n' "$pid" "$(tr '\0\n' '  ' <"/proc/$pid/cmdline")"
grep ^State: "/proc/$pid/status"
printf 'waits in the kernel in %s\n' "$(cat "/proc/$pid/wchan")"
cat "/proc/$pid/stack" 2>/dev/null
if command -v py-spy >/dev/null; then
  echo py-spy:
  if py-spy dump --nonblocking --pid "$pid" 2>/dev/null; then exit 0; fi
  echo '  has failed'
fi
if command -v gdb >/dev/null; then
  echo gdb:
  gdb -nx -batch -p "$pid" -ex 'thread apply all backtrace 16' 2>/dev/null | grep -E '^(Thread|#)'
fi
exit 0
)sh";
// clang-format on

protocol::Query question_about(std::uint32_t rank, std::uint32_t pid) {
  protocol::Query query;
  query.id = rank;
  query.argv = {"sh", "-c", script, "sh", std::to_string(pid)};
  query.deadline_ms = in_ms(answer_time);
  return query;
}

// What is known of a rank. A debugger may take longer than it is given: the script prints its name before it
// runs it, and all that is known without it before that.
std::string text_of(const protocol::Answer& answer) {
  std::string text = answer.out;
  if (answer.outcome == protocol::Outcome::answered) return text;
  std::string why = answer.reason;
  for (const std::string debugger : {"gdb", "py-spy"}) {
    const std::string heading = "\n" + debugger + ":\n";
    if (answer.outcome != protocol::Outcome::too_late || text.find(heading) == std::string::npos) continue;
    if (text.ends_with(heading)) text.erase(text.size() - heading.size());
    why = debugger + ": has not ended within " + base::describe(answer_time);
    break;
  }
  return text + (text.empty() || text.back() == '\n' ? "" : "\n") + why + "\n";
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

std::optional<Failure> HangDiagnosis::take(const protocol::Answer& answer, Clock::time_point now) {
  if (open_.erase(answer.id) == 0) return std::nullopt;
  found_[answer.id] = text_of(answer).substr(0, protocol::Query().limit_bytes);
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

// `ranks`: those furthest behind first; the first one blocks the others.
void HangDiagnosis::examine(Why why, const std::vector<std::uint32_t>& ranks, Clock::time_point now,
                            Nodes& nodes) {
  why_ = why;
  end_ = now + answer_time + slack;
  for (std::size_t i = 0; i < std::min(ranks.size(), most_examined); ++i)
    if (ranks_.has_begun(ranks[i])) {
      open_.insert(ranks[i]);
      nodes.send(plan_.node_of_rank[ranks[i]], question_about(ranks[i], ranks_.records()[ranks[i]].pid));
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
