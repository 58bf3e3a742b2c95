// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranktable/operations/merge.h"

namespace adarun::ranktable {

struct MergedFiles {
  Table table;
  std::filesystem::path output;  ///< `output`, or the reference's name in the current folder.
  std::vector<std::string> warnings;
};

/// Where the caller writes the result.
enum class MergeTarget { file, standard_output };

/// Merges files. An input that is the output of an earlier run of the same merge, as a glob may pick up, is
/// left out with a warning: its servers are all in the other files. Throws Error like `read` and `merge`, if
/// a file is given twice, and if the result would replace another of its inputs. Writes nothing itself.
MergedFiles merge_files(std::span<const std::filesystem::path> files, Order order,
                        const std::optional<std::filesystem::path>& output,
                        MergeTarget target = MergeTarget::file);

}  // namespace adarun::ranktable
