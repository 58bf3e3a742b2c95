// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/files.h"

namespace adarun::launcher {

/// A local file, folder or link to copy to every node of a job.
struct StageSource {
  std::string file;  ///< Its local path.
  protocol::StageItem item;
  std::int64_t changed_ns = 0;  ///< Modification time, to detect that the file changes during staging.

  bool operator==(const StageSource&) const = default;
};

using StageList = std::vector<StageSource>;

/// Parses the values of `--stage`: each is FILE, copied to the same path (absolute, or relative to the folder
/// where ranks start), or FILE:DEST; if DEST ends in '/', it is the folder to copy into. A folder is copied
/// with all its content; symbolic links in it stay links. Throws Error that names what does not exist or
/// cannot be staged, and destinations used twice.
StageList read_stage_list(const std::vector<std::string>& texts);

/// Total size of all files.
std::uint64_t bytes_of(const StageList& list);

}  // namespace adarun::launcher
