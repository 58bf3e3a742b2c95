// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/job_dir.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "launcher/record/job_index.h"

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

std::vector<std::string> texts_in(const json& object, const char* key) {
  std::vector<std::string> texts;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return texts;
  for (const json& text : *found)
    if (text.is_string()) texts.push_back(text);
  return texts;
}

launcher::Supervisor supervisor_in(const json& object) {
  const auto found = object.find("supervisor");
  if (found == object.end() || !found->is_object()) return {};
  return {value_or<std::string>(*found, "host", ""), value_or<pid_t>(*found, "pid", 0),
          value_or<std::uint64_t>(*found, "ticks", 0), value_or<std::string>(*found, "folder", ""),
          value_or<int>(*found, "detached", 0) != 0};
}

std::vector<launcher::Host> hosts_in(const json& object) {
  std::vector<launcher::Host> hosts;
  const auto found = object.find("nodes");
  if (found == object.end() || !found->is_array()) return hosts;
  for (const json& node : *found) {
    if (!node.is_object()) continue;
    launcher::Host& host = hosts.emplace_back();
    host.name = value_or<std::string>(node, "host", "");
    host.user = value_or<std::string>(node, "user", "");
    host.port = value_or<int>(node, "port", 0);
  }
  return hosts;
}

JobFile job_of(const json& object) {
  JobFile job;
  job.id = value_or<std::string>(object, "id", "");
  job.state = value_or<std::string>(object, "state", "");
  job.log_dir = value_or<std::string>(object, "log_dir", "");
  job.world_size = value_or<std::uint32_t>(object, "world_size", 0);
  if (object.contains("status")) job.status = value_or<int>(object, "status", 0);
  job.began_ns = value_or<std::int64_t>(object, "began_ns", 0);
  job.duration_ms = value_or<std::int64_t>(object, "duration_ms", 0);
  job.argv = texts_in(object, "argv");
  job.failures = texts_in(object, "failures");
  job.supervisor = supervisor_in(object);
  job.hosts = hosts_in(object);
  if (job.running() && launcher::is_gone(job.supervisor)) job.state = "lost";
  const auto ranks = object.find("ranks");
  if (ranks == object.end() || !ranks->is_array()) return job;
  for (const json& rank : *ranks) {
    if (!rank.is_object()) continue;
    job.ranks.push_back({value_or<std::uint32_t>(rank, "rank", 0), value_or<std::string>(rank, "state", ""),
                         value_or<std::string>(rank, "node", "")});
  }
  return job;
}

// The log folder of a job in the index.
std::optional<fs::path> indexed_log_dir(const std::string& id) {
  if (id.empty() || id.find('/') != std::string::npos || id[0] == '.') return std::nullopt;
  const auto job = read_job(launcher::job_index() / id);
  if (!job || job->log_dir.empty()) return std::nullopt;
  return log_dir_of(*job);
}

}  // namespace

fs::path log_dir_of(const JobFile& job) {
  const fs::path renamed = job.log_dir + "." + job.id;
  return fs::is_directory(renamed) ? renamed : fs::path(job.log_dir);
}

std::optional<JobFile> read_job(const fs::path& folder) {
  std::ifstream file(folder / "job.json");
  if (!file) return std::nullopt;
  const json object = json::parse(file, nullptr, false);
  if (!object.is_object()) {
    throw std::runtime_error((folder / "job.json").string() +
                             ": not a JSON object; wanted what adarun wrote there");
  }
  return job_of(object);
}

std::optional<JobFile> LogPlaces::job() const {
  if (places.size() != 1 || !fs::is_directory(places[0])) return std::nullopt;
  return read_job(places[0]);
}

LogPlaces find_logs(const std::vector<std::string>& arguments) {
  const std::vector<std::string> wanted =
      arguments.empty() ? std::vector<std::string>{launcher::default_log_dir} : arguments;
  LogPlaces found;
  for (const std::string& argument : wanted) {
    found.name += (found.name.empty() ? "" : " ") + argument;
    if (fs::exists(argument)) {
      found.places.emplace_back(argument);
      continue;
    }
    const auto folder = indexed_log_dir(argument);
    if (!folder) {
      throw std::runtime_error("nothing to read: \"" + argument +
                               "\" is no file or folder here and no job in " +
                               launcher::job_index().string());
    }
    if (!fs::is_directory(*folder)) {
      throw std::runtime_error("nothing to read: the log folder of job " + argument + ", " +
                               folder->string() + ", is gone");
    }
    found.places.push_back(*folder);
  }
  return found;
}

}  // namespace adarun::cli
