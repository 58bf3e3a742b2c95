// SPDX-License-Identifier: Apache-2.0
#include "cli/options/place_argument.h"

namespace adarun::cli {

CLI::Validator names_a_place() {
  const auto check = [](const std::string& text) {
    return text.empty() ? std::string("\"\" names no job (a variable that is not set?)") : std::string();
  };
  return CLI::Validator(check, "");
}

void add_job_argument(CLI::App& command, std::string& job) {
  command.add_option("job", job, "A job id, its beginning, or a log folder")
      ->check(names_a_place())
      ->type_name("JOB");
}

}  // namespace adarun::cli
