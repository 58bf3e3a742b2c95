// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace adarun::launcher::agent {
namespace {

using namespace std::string_view_literals;

constexpr std::array foreign_prefixes{
    "PMIX_"sv,       "PMI_"sv,          "OMPI_COMM_WORLD_"sv, "OMPI_MCA_orte_"sv, "SLURM_STEP"sv,
    "SLURM_SRUN_"sv, "SLURM_LAUNCH_"sv, "SLURM_CPU_BIND"sv,   "SLURM_PMIX"sv,     "SLURM_MPI_"sv};
constexpr std::array foreign_names{
    "SLURM_PROCID"sv,       "SLURM_LOCALID"sv,         "SLURM_NODEID"sv,           "SLURM_TASK_PID"sv,
    "SLURM_GTIDS"sv,        "MPI_LOCALRANKID"sv,       "MPI_LOCALNRANKS"sv,        "ADARUN_RANK_RESTARTS"sv,
    "OMPI_UNIVERSE_SIZE"sv, "OMPI_NUM_APP_CTX"sv,      "OMPI_APP_CTX_NUM_PROCS"sv, "OMPI_FIRST_RANKS"sv,
    "OMPI_FILE_LOCATION"sv, "OMPI_MCA_initial_wdir"sv, "OMPI_COMMAND"sv,           "OMPI_ARGV"sv};

bool is_foreign(std::string_view name) {
  return std::any_of(foreign_prefixes.begin(), foreign_prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(foreign_names.begin(), foreign_names.end(), name) != foreign_names.end();
}

}  // namespace

Environment Environment::inherited(const char* const* variables) {
  Environment result;
  for (; *variables != nullptr; ++variables) {
    const std::string_view assignment = *variables;
    if (!is_foreign(assignment.substr(0, assignment.find('=')))) result.set(assignment);
  }
  return result;
}

void Environment::install() const {
  ::clearenv();
  for (const auto& [name, value] : values_) ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT: one thread
}

void Environment::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string_view::npos) return;
  values_.insert_or_assign(std::string(assignment.substr(0, equals)), assignment.substr(equals + 1));
}

void Environment::set_folder(const std::string& path) {
  if (!path.starts_with('/')) return;
  set("PWD=" + path);
  values_.erase("OLDPWD");
}

void Environment::set_of_rank(const std::vector<std::string>& assignments) {
  const bool has_groups = std::any_of(assignments.begin(), assignments.end(), [](const std::string& each) {
    return each.starts_with("GLOBAL_RANK_TABLE_FILE_PATH=");
  });
  if (has_groups) values_.erase("RANK_TABLE_FILE");
  for (const std::string& assignment : assignments) set(assignment);
}

void Environment::set_default(std::string_view assignment) {
  if (values_.find(assignment.substr(0, assignment.find('='))) == values_.end()) set(assignment);
}

const std::string* Environment::find(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? nullptr : &at->second;
}

std::string Environment::path() const {
  const std::string* value = find("PATH");
  return value == nullptr ? "/usr/local/bin:/usr/bin:/bin" : *value;
}

std::vector<std::string> Environment::assignments() const {
  std::vector<std::string> result;
  result.reserve(values_.size());
  for (const auto& [name, value] : values_) result.push_back(name + '=' + value);
  return result;
}

}  // namespace adarun::launcher::agent
