// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/job_log.h"

#include "base/describe.h"
#include "base/version.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::seconds worth_telling{1};

std::string list_of(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t most = 16;
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < most; ++i)
    text += (i == 0 ? "" : ",") + std::to_string(ranks[i]);
  return ranks.size() > most ? text + ",..." : text;
}

const char* mpi_name(protocol::Mpi mpi) {
  if (mpi == protocol::Mpi::auto_) return "auto";
  return mpi == protocol::Mpi::on ? "on" : "off";
}

}  // namespace

JobLog::JobLog(const Plan& plan, const JobObserver& reader, base::Log& log) : reader_(reader), log_(log) {
  const protocol::Start& start = plan.nodes.front().start;
  const std::string& program = plan.job_spec.argv.empty() ? "" : plan.job_spec.argv.front();
  log_.debug("job " + plan.job_id + ": adarun " + base::version() + ", " + std::to_string(plan.world_size()) +
             " ranks on " + std::to_string(plan.nodes.size()) + " nodes, program " + program + ", mpi " +
             mpi_name(start.mpi) + ", lease " + base::describe(std::chrono::milliseconds(start.lease_ms)) +
             ", grace " + base::describe(std::chrono::milliseconds(start.grace_ms)));
  for (const NodePlan& node : plan.nodes)
    log_.write(
        base::Level::debug, node.host.name,
        "plan: " + std::to_string(node.start.ranks.size()) + " ranks" +
            (node.start.ranks.empty() ? "" : " from " + std::to_string(node.start.ranks.front().rank)));
}

void JobLog::on_plan_sent() {
  log_.debug("all nodes have been greeted and told what to do");
}

void JobLog::on_examined(const ExaminedRank& examined) {
  log_.debug("looked at rank " + std::to_string(examined.rank) +
             (examined.why == ExaminedRank::Why::job_hangs ? ": the job hangs" : ": it stays behind") +
             (examined.foremost ? ", furthest behind" : "") + "; see hang_" + std::to_string(examined.rank) +
             ".txt");
}

void JobLog::on_failure(const Failure& failure) {
  log_.debug(std::string("failure, ") + name_of(failure.kind) + ": " + failure.message);
}

void JobLog::on_members(const protocol::Members& members, const std::string& why) {
  log_.debug("members, generation " + std::to_string(members.generation) + ": " +
             std::to_string(members.ranks.size()) + " ranks: " + why);
}

void JobLog::on_staging(const StageProgress& progress) {
  if (progress.nodes_done == progress.nodes)
    log_.debug("staged: " + std::to_string(progress.files) + " files, " +
               std::to_string(progress.files_kept) + " were there already, " +
               base::describe_bytes(progress.bytes_sent) + " sent");
}

void JobLog::look_at_reader(Clock::time_point now) {
  if (!reader_.has_room()) {
    if (!held_up_since_) held_up_since_ = now;
    if (told_held_up_ || now - *held_up_since_ < worth_telling) return;
    told_held_up_ = true;
    log_.debug("nobody reads the output: it stays with the nodes");
    return;
  }
  if (told_held_up_)
    log_.debug("the output is read again, after " +
               base::describe(std::chrono::duration_cast<std::chrono::milliseconds>(now - *held_up_since_)));
  told_held_up_ = false;
  held_up_since_.reset();
}

void JobLog::end(const JobReport& report) {
  std::string text = "end after " + base::describe(report.duration) + ", exit status " +
                     std::to_string(report.exit_status());
  if (!report.failures.empty()) text += "; first: " + report.failures.front().message;
  if (!report.left.empty()) text += "; before it: ranks " + list_of(report.left);
  if (!report.beside.empty()) text += "; about when it did: ranks " + list_of(report.beside);
  if (!report.followers.empty()) text += "; after it: ranks " + list_of(report.followers);
  log_.debug(text);
}

}  // namespace adarun::launcher
