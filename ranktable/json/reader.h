// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// Scalars first.
enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// One value of a JSON text.
struct JsonNode {
  std::uint32_t at =
      0;  ///< Of a scalar: where its text starts, in the JSON text or among the unescaped ones.
  std::uint32_t size = 0;  ///< Bytes of that text; of an array or object the number of its items or members.
  std::uint32_t next = 0;  ///< The index of the first node that is not part of this value.
  JsonKind kind = JsonKind::null;
  bool unescaped = false;  ///< Whether it is a string whose text had escapes.
};

/// The values of a JSON text in its order: behind an array its items, behind an object key, value, key,
/// value.
struct JsonNodes {
  std::vector<JsonNode> nodes;
  std::string unescaped;  ///< The texts of strings with escapes, one behind the other.
};

/// The one value that `text` holds, at most 4 GiB. Throws Error with line and column (counted in bytes, from
/// 1) on anything that is not JSON, on bytes behind the value, invalid UTF-8, a key that comes twice in one
/// object, more than 64 levels, or more than 1024 keys in one object. A byte order mark is skipped.
JsonNodes read_nodes(std::string_view text);

}  // namespace adarun::ranktable
