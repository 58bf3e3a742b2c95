// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/record/job_index.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {

/// The member "supervisor" of a job.json.
inline std::string supervisor_member(const launcher::SupervisorProcess& process) {
  return R"("supervisor": {"host": ")" + process.host + R"(", "pid": )" + std::to_string(process.pid) +
         R"(, "ticks": )" + std::to_string(process.ticks) + R"(, "folder": ")" + process.folder +
         R"(", "detached": )" + std::to_string(process.detached ? 1 : 0) + "}";
}

/// This process as a supervisor, and one that is gone: another process has its number now.
inline launcher::SupervisorProcess this_supervisor() {
  return launcher::supervisor_here("", false);
}
inline launcher::SupervisorProcess gone_supervisor() {
  launcher::SupervisorProcess process = this_supervisor();
  ++process.ticks;
  return process;
}

/// A folder that is used as the user's index of jobs, as long as it lives.
class JobIndex {
 public:
  JobIndex() {
    if (const char* before = std::getenv("XDG_STATE_HOME")) before_ = before;
    setenv("XDG_STATE_HOME", scratch_.path().c_str(), 1);
  }
  ~JobIndex() {
    if (before_)
      setenv("XDG_STATE_HOME", before_->c_str(), 1);
    else
      unsetenv("XDG_STATE_HOME");
  }
  JobIndex(const JobIndex&) = delete;
  JobIndex& operator=(const JobIndex&) = delete;

  /// Adds a job: `members` of its job.json besides the id, such as `"state": "done"`.
  void enter(const std::string& id, const std::string& members) const {
    scratch_.write("adarun/jobs/" + id + "/job.json", "{\"id\": \"" + id + "\", " + members + "}");
  }

  std::filesystem::path path() const { return scratch_.path() / "adarun/jobs"; }
  const test::ScratchFolder& scratch() const { return scratch_; }

 private:
  test::ScratchFolder scratch_;
  std::optional<std::string> before_;
};

}  // namespace adarun::cli
