// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::monitor::web {

/// A file of the page, which is a part of this program.
struct Asset {
  std::string_view path;  ///< As it is asked for: "/" is the page itself.
  std::string_view type;
  std::string_view text;
};

/// The file at this path; null where there is none.
const Asset* asset_at(std::string_view path);

}  // namespace adarun::monitor::web
