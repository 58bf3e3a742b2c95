// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/misread_values.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/options/variables.h"

namespace adarun::cli {
namespace {

// torchrun's 0 to 3: none, stdout, stderr, both.
bool is_redirect(const std::string& value) {
  return value.size() == 1 && value[0] >= '0' && value[0] <= '3';
}

bool begins_with_name(const std::string& value) {
  return is_variable_name(value.substr(0, value.find('=')));
}

bool is_file_here(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_program_here(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

std::string misread_value(std::string_view name, const std::string& value) {
  if (name == "-e" && !value.empty() && !begins_with_name(value))
    return "-e: \"" + value +
           "\": no NAME=VALUE, which -e has here; for srun's -e, wanted --log-dir DIR, which gets a "
           "worker_<rank>.log of each rank";
  if (name == "--mpi" && value.starts_with("pmi"))
    return "--mpi: \"" + value +
           "\": not needed: PMIx and PMI are there for programs that use them; --mpi on wants PMIx on each "
           "node";
  if (name == "-v" && value.find(":/") != std::string::npos)
    return "-v: is --verbose here; docker's -v is not needed: ranks see the files of their node, --stage "
           "FILE brings more";
  if (name == "-r" && is_redirect(value) && !is_file_here(value))
    return "-r: no rank table \"" + value +
           "\" is here; torchrun's -r is not needed: what ranks print is in log_output/worker_<rank>.log "
           "(--log-dir DIR)";
  return {};
}

std::string misread_program(const std::vector<std::string>& own, const std::vector<std::string>& trailing) {
  if (own.empty() || own.back() != "-q" || trailing.empty() || is_program_here(trailing.front())) return {};
  return "-q is --quiet here, and \"" + trailing.front() +
         "\" behind it the program; for srun's -q, ask salloc or sbatch for nodes";
}

}  // namespace adarun::cli
