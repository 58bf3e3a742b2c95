// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/place_argument.h"

namespace adarun::cli {
namespace {

constexpr const char* job_help = "A job id, its beginning, a job's name, or a log folder";

}  // namespace

CLI::Validator names_a_place() {
  const auto check = [](const std::string& text) {
    return text.empty() ? std::string("\"\" names no job (a variable that is not set?)") : std::string();
  };
  return CLI::Validator(check, "");
}

void add_job_argument(CLI::App& command, std::string& job) {
  command.add_option("job", job, job_help)->check(names_a_place())->type_name("JOB");
}

CLI::Option* add_job_arguments(CLI::App& command, std::vector<std::string>& jobs) {
  return command.add_option("job", jobs, job_help)->check(names_a_place())->type_name("JOB");
}

}  // namespace adarun::cli
