// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::base {

/// How deep arrays and objects may lie in one another in a JSON text that others have written: what walks
/// over it by recursion, as a copy does, has room for that many.
inline constexpr std::size_t most_json_depth = 100;

/// Whether they lie deeper than that. The text need not be valid.
bool is_nested_too_deep(std::string_view json);

/// For messages: "arrays and objects lie more than 100 deep in one another".
std::string nested_too_deep_text();

/// As Json::parse() without exceptions, of nlohmann's library; discarded, too, if it is nested too deep. For
/// every JSON text that is not made by the same process.
template <typename Json>
Json parse_json(std::string_view text) {
  if (is_nested_too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace adarun::base
