// SPDX-License-Identifier: Apache-2.0
#include "cli/job_dir.h"

#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "launcher/collect/job_file.h"

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

// Whether a process of this machine is gone. One of another user is there, too.
bool is_gone(pid_t pid) {
  return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

JobFile job_of(const json& object) {
  JobFile job;
  job.id = value_or<std::string>(object, "id", "");
  job.state = value_or<std::string>(object, "state", "");
  job.log_dir = value_or<std::string>(object, "log_dir", "");
  job.world_size = value_or<std::uint32_t>(object, "world_size", 0);
  if (object.contains("status")) job.status = value_or<int>(object, "status", 0);
  if (job.running() && is_gone(value_or<pid_t>(object, "pid", 0))) job.state = "lost";
  const auto ranks = object.find("ranks");
  if (ranks == object.end() || !ranks->is_array()) return job;
  for (const json& rank : *ranks) {
    if (!rank.is_object()) continue;
    job.ranks.push_back({value_or<std::uint32_t>(rank, "rank", 0), value_or<std::string>(rank, "state", "")});
  }
  return job;
}

// The log folder of a job in the index. The next job in the same folder renames it to "<log_dir>.<id>".
std::optional<fs::path> indexed_log_dir(const std::string& id) {
  if (id.empty() || id.find('/') != std::string::npos || id[0] == '.') return std::nullopt;
  const auto job = read_job(launcher::job_index() / id);
  if (!job || job->log_dir.empty()) return std::nullopt;
  const fs::path renamed = job->log_dir + "." + id;
  return fs::is_directory(renamed) ? renamed : fs::path(job->log_dir);
}

}  // namespace

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
      arguments.empty() ? std::vector<std::string>{"log_output"} : arguments;
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
