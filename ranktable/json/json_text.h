// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

/// A JSON value as it came: members in the order of the text.
struct Json {
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  std::string text;               ///< Of a string its value, of null, booleans and numbers the literal.
  std::vector<Json> items;        ///< Of an array; of an object the values of `keys`.
  std::vector<std::string> keys;  ///< Of an object, each once.

  bool is(Kind wanted) const { return kind == wanted; }

  /// Whether this is the string `value`.
  bool is_text(std::string_view value) const { return kind == Kind::string && text == value; }

  /// The member of that name; nullptr where there is none. Linear in the number of members.
  const Json* find(std::string_view key) const;
};

/// The one value that `text` holds. Throws Error with line and column (counted in bytes, from 1) on anything
/// that is not JSON, on bytes behind the value, invalid UTF-8, a key that comes twice in one object, more
/// than 64 levels, or more than 1024 keys in one object.
Json parse_json(std::string_view text);

/// The value as JSON text: ASCII, no blanks.
std::string to_json(const Json& value);

/// `to_json` for a message: cut after about 80 bytes.
std::string shown(const Json& value);

/// Text as JSON for a message, likewise cut; it need not be UTF-8.
std::string in_quotes(std::string_view text);

}  // namespace adarun::ranktable
