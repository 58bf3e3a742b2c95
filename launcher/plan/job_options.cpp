// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/job_options.h"

namespace adarun::launcher {

std::filesystem::path JobOptions::log_folder() const {
  const std::filesystem::path folder = std::filesystem::absolute(log_dir).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace adarun::launcher
