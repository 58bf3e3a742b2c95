// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/job_status.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/system_text.h"

namespace adarun::launcher {
namespace {

using nlohmann::ordered_json;

std::int64_t ms_since(JobStatus::Clock::time_point moment) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(JobStatus::Clock::now() - moment).count();
}

}  // namespace

JobStatus::JobStatus(const Plan& plan, const JobObserver& steps)
    : plan_(plan), steps_(steps), ranks_(plan.world_size()) {}

void JobStatus::on_started(const protocol::Started& started) {
  RankStatus& status = ranks_[started.rank];
  status.state = RankState::running;
  status.halted_by = 0;
  status.pid = started.pid;
  status.heard = Clock::now();
}

void JobStatus::on_output(std::uint32_t rank, protocol::Stream /*stream*/, std::string_view bytes) {
  RankStatus& status = ranks_[rank];
  status.heard = Clock::now();
  status.printed = true;
  const std::optional<std::uint64_t> step = steps_.step_of(rank);
  if (std::exchange(status.step, step) != step) status.stepped = status.heard;
  status.lines.feed(bytes, [&status](std::string_view lines) {
    const std::string_view line = base::last_line(lines, base::log_lines.end);
    if (!line.empty()) status.last_line = line.substr(0, most_line_bytes);
  });
}

void JobStatus::on_exited(std::uint32_t rank, const RankRecord& record) {
  ranks_[rank].state = record.state;
}

void JobStatus::on_lost(std::uint32_t node, const std::string& /*reason*/) {
  for (const protocol::RankSpec& rank : plan_.nodes[node].start.ranks)
    if (ranks_[rank.rank].state == RankState::running) ranks_[rank.rank].state = RankState::lost;
}

void JobStatus::on_members(const protocol::Members& members, const std::string& why) {
  members_ = members;
  why_ = why;
  changed_ = Clock::now();
}

std::string JobStatus::json() const {
  ordered_json ranks = ordered_json::array();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankStatus& status = ranks_[rank];
    ordered_json entry{{"rank", rank},
                       {"node", plan_.nodes[plan_.node_of_rank[rank]].host.name},
                       {"device_id", plan_.device_of_rank[rank]}};
    if (const Role* role = plan_.role_of(rank)) entry["role"] = role->name;
    if (status.pid != 0) entry["pid"] = status.pid;
    entry["state"] = name_of(status.state);
    if (status.state == RankState::running && status.halted_by != 0)
      entry["halted_by"] = "SIG" + base::signal_name(status.halted_by);
    entry.update({{"last_line", status.last_line}, {"printed", status.printed}});
    if (status.heard != Clock::time_point()) entry["silent_ms"] = ms_since(status.heard);
    if (status.step) entry.update({{"step", *status.step}, {"since_step_ms", ms_since(status.stepped)}});
    ranks.push_back(std::move(entry));
  }
  ordered_json status{{"id", plan_.job_id}};
  if (!plan_.options.name.empty()) status["name"] = plan_.options.name;
  status.update({{"state", "running"}, {"ranks", std::move(ranks)}});
  if (members_.generation > 0)
    status["members"] = {{"generation", members_.generation},
                         {"ranks", members_.ranks},
                         {"why", why_},
                         {"since_ms", ms_since(changed_)}};
  return status.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace adarun::launcher
