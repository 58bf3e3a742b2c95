// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// The step of a path to the member `name` of an object: ".name", or ["na me"] where a name of other than
/// letters, digits, _ and - could be taken for something else.
std::string member_step(std::string_view name);

/// The path of an item of a list: "$.server_list[3]".
std::string item_path(const std::string& list, std::size_t index);

/// The place of a value in a table, made into text only where something is to be said of it. A path borrows
/// the path and the name that it was made from.
class Path {
 public:
  /// The root: "$".
  Path() = default;

  /// An item of a list of `parent`: "$.server_list[3]".
  Path(const Path& parent, std::string_view list, std::size_t index)
      : parent_(&parent), list_(list), index_(index) {}

  std::string text() const;

 private:
  const Path* parent_ = nullptr;
  std::string_view list_;
  std::size_t index_ = 0;
};

}  // namespace adarun::ranktable
