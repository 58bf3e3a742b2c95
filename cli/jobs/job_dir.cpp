// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/job_dir.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "base/clean_text.h"
#include "base/parse_json.h"
#include "base/wall_clock.h"
#include "cli/arguments/job_name.h"
#include "cli/jobs/find_job.h"
#include "launcher/record/job_file.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

template <typename Value>
Value value_or(const json& object, const char* key, Value otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if constexpr (std::is_integral_v<Value>) {
    return found->is_number_integer() ? found->get<Value>() : otherwise;
  } else {
    return found->is_string() ? found->get<Value>() : otherwise;
  }
}

// The array of that name; an empty one if there is none.
const json& array_in(const json& object, const char* key) {
  static const json none = json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : none;
}

// The object of that name; an empty one if there is none.
const json& object_in(const json& object, const char* key) {
  static const json none = json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : none;
}

std::vector<std::string> texts_in(const json& object, const char* key) {
  std::vector<std::string> texts;
  for (const json& text : array_in(object, key))
    if (text.is_string()) texts.push_back(text);
  return texts;
}

launcher::SupervisorProcess supervisor_in(const json& object) {
  const json& found = object_in(object, "supervisor");
  return {value_or<std::string>(found, "host", ""), value_or<pid_t>(found, "pid", 0),
          value_or<std::uint64_t>(found, "ticks", 0), value_or<std::string>(found, "folder", ""),
          value_or<int>(found, "detached", 0) != 0};
}

launcher::Host host_of(const json& node) {
  launcher::Host host;
  host.name = value_or<std::string>(node, "host", "");
  host.user = value_or<std::string>(node, "user", "");
  host.port = value_or<int>(node, "port", 0);
  return host;
}

std::vector<launcher::Host> hosts_in(const json& object) {
  std::vector<launcher::Host> hosts;
  for (const json& node : array_in(object, "nodes"))
    if (node.is_object()) hosts.push_back(host_of(node));
  return hosts;
}

std::vector<launcher::ReplacedNode> replaced_in(const json& object) {
  std::vector<launcher::ReplacedNode> nodes;
  for (const json& each : array_in(object, "replaced_nodes")) {
    if (!each.is_object()) continue;
    launcher::ReplacedNode& node = nodes.emplace_back();
    node.number = value_or<std::uint32_t>(each, "number", 0);
    node.host = host_of(each);
    for (const json& rank : array_in(each, "ranks"))
      if (rank.is_number_integer()) node.ranks.push_back(rank);
  }
  return nodes;
}

std::vector<launcher::Role> roles_in(const json& object) {
  std::vector<launcher::Role> roles;
  for (const json& role : array_in(object, "roles"))
    if (role.is_object())
      roles.push_back({value_or<std::string>(role, "name", ""), {}, texts_in(role, "argv")});
  return roles;
}

// Only those whose ids have the form of one: they become names of folders.
std::vector<launcher::EarlierAttempt> earlier_in(const json& object) {
  constexpr std::size_t most = 10'000;
  std::vector<launcher::EarlierAttempt> attempts;
  for (const json& each : array_in(object, "earlier_attempts")) {
    if (!each.is_object() || attempts.size() == most) continue;
    launcher::EarlierAttempt attempt;
    attempt.job_id = value_or<std::string>(each, "id", "");
    if (!is_job_id(attempt.job_id)) continue;
    attempt.began_ns = value_or<std::int64_t>(each, "began_ns", 0);
    attempt.duration = std::chrono::milliseconds(value_or<std::int64_t>(each, "duration_ms", 0));
    attempt.nodes = value_or<std::string>(each, "nodes", "");
    attempt.world_size = value_or<std::uint32_t>(each, "world_size", 0);
    attempt.status = value_or<int>(each, "status", 0);
    attempt.failure = value_or<std::string>(each, "failure", "");
    attempt.change = value_or<std::string>(each, "change", "");
    attempts.push_back(std::move(attempt));
  }
  return attempts;
}

// Where the job ended between its attempts, that is how it ended.
void take_job_end(const json& object, JobFile& job) {
  if (!object.contains("job_end") || !object["job_end"].is_object()) return;
  const json& end = object["job_end"];
  job.state = value_or<std::string>(end, "state", job.state);
  job.status = value_or<int>(end, "status", 0);
  job.failures.push_back(value_or<std::string>(end, "failure", ""));
  job.failure_kind.clear();
}

JobFile job_of(const json& object) {
  JobFile job;
  if (const std::string id = value_or<std::string>(object, "id", ""); launcher::is_plain_id(id)) job.id = id;
  job.name = value_or<std::string>(object, "name", "");
  job.state = value_or<std::string>(object, "state", "");
  job.log_dir = value_or<std::string>(object, "log_dir", "");
  constexpr std::uint32_t most_ranks = 1U << 20U;  // More than any job has.
  job.world_size = std::min(value_or<std::uint32_t>(object, "world_size", 0), most_ranks);
  if (object.contains("status")) job.status = value_or<int>(object, "status", 0);
  job.began_ns = value_or<std::int64_t>(object, "began_ns", 0);
  job.duration_ms = value_or<std::int64_t>(object, "duration_ms", 0);
  job.argv = texts_in(object, "argv");
  job.roles = roles_in(object);
  job.failures = texts_in(object, "failures");
  job.failure_kind = value_or<std::string>(object_in(object, "first_failure"), "kind", "");
  job.supervisor = supervisor_in(object);
  job.hosts = hosts_in(object);
  job.replaced = replaced_in(object);
  job.earlier = earlier_in(object);
  take_job_end(object, job);
  if (job.running() && launcher::is_gone(job.supervisor)) job.state = "lost";
  for (const json& rank : array_in(object, "ranks")) {
    if (!rank.is_object()) continue;
    JobFile::Rank& each = job.ranks.emplace_back();
    each.rank = value_or<std::uint32_t>(rank, "rank", 0);
    each.state = value_or<std::string>(rank, "state", "");
    each.node = value_or<std::string>(rank, "node", "");
    if (rank.contains("device_id")) each.device_id = value_or<int>(rank, "device_id", 0);
    each.pid = value_or<pid_t>(rank, "pid", 0);
    each.role = value_or<std::string>(rank, "role", "");
  }
  return job;
}

// The logs that an argument means.
fs::path place_of(const std::string& argument) {
  const auto named = job_named(argument);
  if (!named && fs::exists(argument)) return argument;
  const auto job = named ? named : indexed_job(argument);
  if (!job || job->log_dir.empty()) {
    throw std::runtime_error("nothing to read: \"" + argument +
                             "\" is no file or folder here and no job in " + launcher::job_index().string());
  }
  fs::path folder = log_dir_of(*job);
  if (!fs::is_directory(folder)) {
    throw std::runtime_error("nothing to read: the log folder of job " + argument + ", " + folder.string() +
                             ", is gone");
  }
  return folder;
}

}  // namespace

std::string JobFile::called() const {
  return base::clean_line(name.empty() ? id : name);
}

std::optional<std::chrono::milliseconds> JobFile::ran_for() const {
  if (state == "lost") return std::nullopt;
  if (!running()) return std::chrono::milliseconds(duration_ms);
  // Others may have written began_ns, and the clock may have been set back since.
  const std::int64_t now_ns = base::now_ns();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(now_ns - std::clamp<std::int64_t>(began_ns, 0, now_ns)));
}

bool is_of_this_machine(const JobFile& job) {
  return job.supervisor.host == launcher::supervisor_here("", false).host;
}

bool is_in_use(const JobFile& job) {
  if (job.running()) return true;
  if (is_of_this_machine(job)) return !launcher::is_gone(job.supervisor);
  return launcher::may_run_elsewhere(job.supervisor);
}

fs::path log_dir_of(const JobFile& job) {
  const fs::path renamed = job.log_dir + "." + job.id;
  std::error_code unreachable;
  return fs::is_directory(renamed, unreachable) ? renamed : fs::path(job.log_dir);
}

std::optional<JobFile> read_job(const fs::path& folder) {
  const auto text = launcher::job_text_in(folder);
  if (!text) return std::nullopt;
  const json object = base::parse_json<json>(*text);
  if (!object.is_object()) {
    throw std::runtime_error((folder / "job.json").string() +
                             ": not a JSON object; wanted what adarun wrote there");
  }
  return job_of(object);
}

std::optional<JobFile> readable_job(const fs::path& folder) {
  try {
    return read_job(folder);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<JobFile> LogPlaces::job() const {
  if (places.size() != 1 || !fs::is_directory(places[0])) return std::nullopt;
  return read_job(places[0]);
}

LogPlaces find_logs(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    if (!fs::exists(launcher::default_log_dir)) return find_logs({launcher::default_log_dir});
    return {{launcher::default_log_dir}, launcher::default_log_dir};  // Also if a job has this name.
  }
  LogPlaces found;
  for (const std::string& argument : arguments) {
    found.name += (found.name.empty() ? "" : " ") + argument;
    found.places.push_back(place_of(argument));
  }
  return found;
}

}  // namespace adarun::cli
