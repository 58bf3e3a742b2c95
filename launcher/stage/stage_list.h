// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/stage.h"

namespace adarun::launcher {

/// Something here that every node of a job is to have.
struct StageSource {
  std::string file;  ///< Its path here.
  protocol::StageItem item;
  std::int64_t changed_ns = 0;  ///< When it was last written, to notice where it is written meanwhile.

  bool operator==(const StageSource&) const = default;
};

using StageList = std::vector<StageSource>;

/// What `--stage` asks for: each text is FILE, which goes to the same path, absolute or below the folder
/// where ranks start, or FILE:DEST; a DEST that ends in '/' is a folder to put it in. A folder stands for all
/// that is in it; symbolic links in it stay links. Throws Error that names what is not there or cannot be
/// staged, and places that two things would take.
StageList read_stage_list(const std::vector<std::string>& texts);

/// Of all files.
std::uint64_t bytes_of(const StageList& list);

}  // namespace adarun::launcher
