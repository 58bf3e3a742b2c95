// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// Scalars first: JsonValue::text compares kinds.
enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// One value of a JSON text.
struct JsonNode {
  std::uint32_t at = 0;    ///< For a scalar: offset of its text in the JSON text, or in JsonNodes::unescaped.
  std::uint32_t size = 0;  ///< Bytes of that text; for an array or object the number of items or members.
  std::uint32_t next = 0;  ///< Index of the first node after this value.
  JsonKind kind = JsonKind::null;
  bool unescaped = false;  ///< Whether it is a string that contained escapes.
};

/// The values of a JSON text in order: an array is followed by its items, an object by key, value, key,
/// value.
struct JsonNodes {
  std::vector<JsonNode> nodes;
  std::string unescaped;  ///< The concatenated values of strings with escapes.
};

/// Parses `text`, which must be one JSON value of at most 4 GiB. Throws Error with line and column (in bytes,
/// from 1) on invalid JSON, trailing bytes, invalid UTF-8, a repeated key in an object, more than 64 levels,
/// or more than 1024 keys in one object. A byte order mark is skipped.
JsonNodes read_nodes(std::string_view text);

}  // namespace adarun::ranktable
