// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/scratch_folder.h"

namespace adarun::cli {

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
