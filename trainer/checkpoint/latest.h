// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace adarun::trainer {

/// Which checkpoints of a folder are good: those that all ranks of a run have completed.
struct Latest {
  std::string run;                  ///< Id of the run.
  std::vector<std::int64_t> steps;  ///< Step counts of one or two checkpoints, newest first.
  std::string writer = {};  ///< Id of the start of the run that writes here; empty: an older adarun's.

  bool operator==(const Latest&) const = default;
};

/// Formats and parses the content of the file `latest`. parse_latest() throws Error; its message begins with
/// `file`.
std::string text_of(const Latest& latest);
Latest parse_latest(const std::filesystem::path& file, const std::string& text);

/// Read and write the file `latest` of `folder`; nothing if it does not exist. Both throw Error.
std::optional<Latest> read_latest(const std::filesystem::path& folder);
void write_latest(const std::filesystem::path& folder, const Latest& latest);

/// Whether `file` is what a writer of `run` that was killed may have left of a new `latest`, by its name and
/// content.
bool is_unfinished_latest(const std::filesystem::path& file, const std::string& run);

}  // namespace adarun::trainer
