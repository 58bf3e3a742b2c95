// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace adarun::cli {
namespace {

using launcher::RankState;
using nlohmann::ordered_json;

constexpr std::size_t most_line_bytes = 200;

std::int64_t ms_since(JobStatus::Clock::time_point moment) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(JobStatus::Clock::now() - moment).count();
}

}  // namespace

JobStatus::JobStatus(const launcher::Plan& plan)
    : plan_(plan), ranks_(plan.world_size()), steps_(plan.world_size()) {}

void JobStatus::on_started(const launcher::protocol::Started& started) {
  ranks_[started.rank].state = RankState::running;
  ranks_[started.rank].heard = Clock::now();
}

void JobStatus::on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) {
  Rank& standing = ranks_[rank];
  standing.heard = Clock::now();
  standing.printed = true;
  if (steps_.feed(rank, stream == launcher::protocol::Stream::out ? 0 : 1, bytes))
    standing.stepped = standing.heard;
  const std::size_t end = bytes.rfind('\n');
  if (end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : bytes.rfind('\n', end - 1);
    const bool whole = before != std::string_view::npos;
    standing.last_line = whole ? std::string() : standing.begun_line;
    standing.last_line += bytes.substr(whole ? before + 1 : 0, end - (whole ? before + 1 : 0));
    standing.last_line.resize(std::min(standing.last_line.size(), most_line_bytes));
    standing.begun_line.clear();
    bytes.remove_prefix(end + 1);
  }
  const std::size_t room = most_line_bytes - standing.begun_line.size();
  standing.begun_line += bytes.substr(0, room);
}

void JobStatus::on_exited(std::uint32_t rank, const launcher::RankRecord& record) {
  ranks_[rank].state = record.state;
}

void JobStatus::on_lost(std::uint32_t node, const std::string& /*reason*/) {
  for (const launcher::protocol::RankSpec& part : plan_.nodes[node].start.ranks)
    if (ranks_[part.rank].state == RankState::running) ranks_[part.rank].state = RankState::lost;
}

std::string JobStatus::json() const {
  ordered_json ranks = ordered_json::array();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const Rank& standing = ranks_[rank];
    ordered_json entry{{"rank", rank},
                       {"node", plan_.nodes[plan_.node_of_rank[rank]].host.name},
                       {"state", launcher::name_of(standing.state)},
                       {"last_line", standing.last_line},
                       {"printed", standing.printed}};
    if (standing.heard != Clock::time_point()) entry["silent_ms"] = ms_since(standing.heard);
    if (const auto step = step_of(rank))
      entry.update({{"step", *step}, {"since_step_ms", ms_since(standing.stepped)}});
    ranks.push_back(std::move(entry));
  }
  const ordered_json standing{{"id", plan_.job_id}, {"state", "running"}, {"ranks", std::move(ranks)}};
  return standing.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace adarun::cli
