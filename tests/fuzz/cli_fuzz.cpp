// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/arguments/command.h"
#include "cli/arguments/variables.h"
#include "cli/jobs/job_dir.h"
#include "launcher/record/job_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scratch_folder.h"

namespace cli = adarun::cli;

namespace {

// Any bytes as a job.json give a job or an error message; both of its readers find the same id.
void fuzz_job_file(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("job.json", bytes);
  const std::string id = adarun::launcher::job_id_in(scratch.path());
  try {
    const auto job = cli::read_job(scratch.path());
    demand(job && job->id == id);
  } catch (const std::runtime_error& error) {
    demand(id.empty() && std::string_view(error.what()).starts_with(path));
  }
}

// Any bytes give variables with names that can be set, or an error that names the file; the variables in the
// form of env -0 are read back unchanged.
void fuzz_variables(std::string_view text) {
  try {
    const cli::Variables variables = cli::parse_variables(text, "fuzz");
    std::string entries;
    for (const std::string& each : variables.assignments) {
      demand(cli::is_variable_name(each.substr(0, each.find('='))) && each.find('\0') == std::string::npos);
      entries += each + '\0';
    }
    demand(cli::parse_variables(entries, "again").assignments == variables.assignments);
  } catch (const cli::ExitError& quit) {
    demand(std::string_view(quit.what()).substr(0, 4) == "fuzz");
  }
}

const FuzzTargets cli_targets{
    {"job_file", fuzz_job_file},
    {"variables", fuzz_variables},
};

}  // namespace
