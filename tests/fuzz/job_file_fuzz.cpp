// SPDX-License-Identifier: Apache-2.0
// Any bytes as a job.json give a job or an error message; both of its readers find the same id.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "cli/jobs/job_dir.h"
#include "launcher/record/job_file.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"

FUZZ_TARGET(job_file) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("job.json", {reinterpret_cast<const char*>(data), size});
  const std::string id = adarun::launcher::job_id_in(scratch.path());
  try {
    const auto job = adarun::cli::read_job(scratch.path());
    demand(job && job->id == id);
  } catch (const std::runtime_error& error) {
    demand(id.empty() && std::string_view(error.what()).starts_with(path));
  }
  return 0;
}
