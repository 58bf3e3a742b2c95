// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::ranktable {

/// The path step to the member `name` of an object: ".name". A name that is long or has characters other than
/// letters, digits, _ and - is written ["na me"].
std::string member_step(std::string_view name);

/// The path of an item of a list: "$.server_list[3]".
std::string item_path(const std::string& list, std::size_t index);

/// The path of a value in a table, converted to text only when needed for a message. Borrows the path and the
/// name from which it was made.
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
