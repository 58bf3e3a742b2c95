// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace adarun::trainer {

/// Which checkpoints of a folder are good: those that all ranks of a run have finished.
struct Latest {
  std::string run;                  ///< Its id.
  std::vector<std::int64_t> steps;  ///< Of each, from the newest on; one or two.

  bool operator==(const Latest&) const = default;
};

/// What the file `latest` of a folder holds, and back. parse_latest() throws Error that begins with `file`.
std::string text_of(const Latest& latest);
Latest parse_latest(const std::filesystem::path& file, const std::string& text);

/// The file `latest` of `folder`; nothing where there is none. Both throw Error.
std::optional<Latest> read_latest(const std::filesystem::path& folder);
void write_latest(const std::filesystem::path& folder, const Latest& latest);

}  // namespace adarun::trainer
