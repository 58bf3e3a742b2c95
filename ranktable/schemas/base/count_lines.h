// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace adarun::ranktable {

/// Lines about wrong counts in a file.
class CountLines {
 public:
  /// Adds a line if the file has the value `wrong` for the count at `path`, which is `count`.
  void add(const std::string& path, const std::optional<std::string>& wrong, std::size_t count) {
    if (wrong)
      lines_.push_back(path + ": " + std::to_string(count) + ", counted anew: it said \"" + *wrong + "\"");
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

}  // namespace adarun::ranktable
