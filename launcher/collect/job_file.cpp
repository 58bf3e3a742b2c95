// SPDX-License-Identifier: Apache-2.0
#include "launcher/collect/job_file.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace adarun::launcher {
namespace {

using nlohmann::ordered_json;

ordered_json ranks_of(const Plan& plan, const Report& report) {
  ordered_json ranks = ordered_json::array();
  for (std::uint32_t rank = 0; rank < report.ranks.size(); ++rank) {
    const RankRecord& record = report.ranks[rank];
    ranks.push_back({{"rank", rank},
                     {"node", plan.nodes[plan.node_of_rank[rank]].host.name},
                     {"device_id", plan.device_of_rank[rank]},
                     {"state", name_of(record.state)},
                     {"pid", record.pid},
                     {"code", record.code},
                     {"signal", record.signal}});
  }
  return ranks;
}

}  // namespace

std::string job_file(const Plan& plan, const Report& report, const JobFileState& state) {
  ordered_json json{{"id", plan.job_id},
                    {"state", state.state},
                    {"world_size", plan.world_size()},
                    {"log_dir", state.log_dir},
                    {"pid", getpid()},
                    {"argv", plan.common.argv}};
  if (state.ended) {
    json["status"] = report.exit_status();
    json["duration_ms"] = report.duration.count();
    json["failures"] = ordered_json::array();
    for (const Failure& failure : report.failures) json["failures"].push_back(failure.message);
  }
  json["ranks"] = ranks_of(plan, report);
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string job_id_in(const std::filesystem::path& folder) {
  std::ifstream file(folder / "job.json");
  const auto json = ordered_json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("id") || !json["id"].is_string()) return "";
  return json["id"];
}

std::filesystem::path job_index() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "adarun" / "jobs";
  const char* home = std::getenv("HOME");
  const passwd* user = home == nullptr ? getpwuid(getuid()) : nullptr;
  if (user != nullptr) home = user->pw_dir;
  return home == nullptr || *home != '/' ? "" : std::filesystem::path(home) / ".local/state/adarun/jobs";
}

}  // namespace adarun::launcher
