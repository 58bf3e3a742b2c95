// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/report.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace adarun::launcher {
namespace {

constexpr std::int64_t one_go_ns = 1'000'000;
constexpr std::int64_t seen_late_ns = 500'000'000;

/// Later than all known ones. A node may say any time: differences of moments stay within 64 bits.
Moment moment_of(const RankRecord& record) {
  constexpr std::int64_t unknown_ns = std::int64_t{1} << 61U;
  Moment moment = record.ended.value_or(Moment{unknown_ns, 0});
  moment.ns = std::clamp(moment.ns, -unknown_ns, unknown_ns);
  return moment;
}

bool is_killed(const RankRecord& record) {
  return !record.abort && record.signal == SIGKILL;
}

/// Sets a killed rank that was seen to end shortly after the first one before those that failed otherwise:
/// ranks do not kill each other, but fail when the connections of the killed one close, which the kernel does
/// before it tells the agent, and on a busy node long before. `failed`: by time.
void put_killed_first(std::vector<std::uint32_t>& failed, const std::vector<RankRecord>& records) {
  const std::int64_t begin = moment_of(records[failed.front()]).ns;
  const auto late = std::find_if(failed.begin(), failed.end(), [&](std::uint32_t rank) {
    return moment_of(records[rank]).ns - begin > seen_late_ns;
  });
  std::stable_partition(failed.begin(), late, [&](std::uint32_t rank) { return is_killed(records[rank]); });
}

}  // namespace

int JobReport::exit_status() const {
  return failures.empty() ? 0 : failures.front().exit_status();
}

bool JobReport::was_cut_short() const {
  return std::any_of(failures.begin(), failures.end(), [](const Failure& failure) {
    return failure.kind == Failure::Kind::interrupted || failure.kind == Failure::Kind::timed_out;
  });
}

std::size_t JobReport::count(RankState state) const {
  return static_cast<std::size_t>(
      std::count_if(ranks.begin(), ranks.end(), [&](const RankRecord& rank) { return rank.state == state; }));
}

Failure failure_of(const Plan& plan, std::uint32_t rank, const RankRecord& record) {
  const std::string end = describe_end(record);
  std::string how = " failed first: " + end;
  const bool spawned = record.abort && record.abort->call == protocol::EndingCall::spawn;
  if (spawned)
    how = " asked for " + record.abort->message +
          " by MPI_Comm_spawn: adarun starts none while a job runs (docs/ranks.md#mpi)";
  else if (record.abort)
    how = " called " + end;
  else if (record.missed_in_mpi)
    how = " " + end + ", while others wait for it there: it ran as a singleton";
  const Failure::Kind kind = spawned        ? Failure::Kind::spawned
                             : record.abort ? Failure::Kind::aborted
                                            : Failure::Kind::rank_failed;
  Failure failure = rank_failure(plan, rank, kind, how);
  failure.code = record.abort ? record.abort->status : record.code;
  failure.signal = record.signal;
  return failure;
}

FailureOrder order_failures(const Plan& plan, const std::vector<RankRecord>& records,
                            const std::vector<std::uint32_t>& excused) {
  std::vector<std::uint32_t> failed;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    if (records[rank].state == RankState::failed && !std::binary_search(excused.begin(), excused.end(), rank))
      failed.push_back(rank);
  std::stable_sort(failed.begin(), failed.end(), [&](std::uint32_t a, std::uint32_t b) {
    return moment_of(records[a]).ns < moment_of(records[b]).ns;
  });
  FailureOrder order;
  if (failed.empty()) return order;
  put_killed_first(failed, records);
  const std::uint32_t earliest = failed.front();
  const Moment begin = moment_of(records[earliest]);
  for (const std::uint32_t rank : failed) {
    const Moment moment = moment_of(records[rank]);
    const bool one_clock = plan.node_of_rank[rank] == plan.node_of_rank[earliest];
    const std::int64_t unsure = one_go_ns + (one_clock ? 0 : begin.bound_ns + moment.bound_ns);
    (std::abs(moment.ns - begin.ns) <= unsure ? order.first : order.later).push_back(rank);
  }
  return order;
}

void find_first_failure(const Plan& plan, JobReport& report, HeardFailure heard_failure,
                        const std::vector<std::uint32_t>& excused) {
  FailureOrder order = order_failures(plan, report.ranks, excused);
  if (order.first.empty() || report.failures.empty()) return;
  Failure& heard = report.failures.front();
  const bool of_a_rank = heard.kind == Failure::Kind::rank_failed || heard.kind == Failure::Kind::aborted ||
                         heard.kind == Failure::Kind::spawned;
  const std::uint32_t earliest = order.first.front();
  if (heard_failure == HeardFailure::may_be_later && of_a_rank && report.ranks[*heard.rank].ended &&
      report.ranks[earliest].ended) {
    if (heard.rank != earliest) heard = failure_of(plan, earliest, report.ranks[earliest]);
    order.first.erase(order.first.begin());
    report.beside = std::move(order.first);
  } else {
    order.later.insert(order.later.begin(), order.first.begin(), order.first.end());
    if (heard.rank) std::erase(order.later, *heard.rank);
  }
  report.followers = std::move(order.later);
}

}  // namespace adarun::launcher
