// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::cli {

/// Reserves a name for a job that is about to be recorded in `index`, which must exist: as long as the result
/// is held, no other adarun can reserve one there. Throws Quit if a running job has the name or ids of jobs
/// begin with it, or if another adarun holds the index for long.
base::FileDescriptor claim_name(const std::filesystem::path& index, const std::string& name);

}  // namespace adarun::cli
