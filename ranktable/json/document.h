// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

class Document;
struct JsonMember;

/// A value of a Document, cheap to copy. The document must outlive it.
class JsonValue {
 public:
  JsonKind kind() const { return node().kind; }
  bool is(JsonKind wanted) const { return kind() == wanted; }

  /// Whether this is the string `value`.
  bool is_text(std::string_view value) const { return is(JsonKind::string) && text() == value; }

  /// The value of a string, or the literal of a null, boolean or number; else empty. Borrowed from the
  /// document.
  std::string_view text() const;

  /// The items of an array.
  std::vector<JsonValue> items() const;

  /// The members of an object, in the order of the text; keys are unique.
  std::vector<JsonMember> members() const;

  /// The value of an object's member `key`; nothing if it has none.
  std::optional<JsonValue> member(std::string_view key) const;

 private:
  friend class Document;
  JsonValue(const Document& document, std::size_t index) : document_(&document), index_(index) {}
  const JsonNode& node() const;
  JsonValue behind() const { return {*document_, node().next}; }

  const Document* document_;
  std::size_t index_;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

/// A parsed JSON text. Borrows the text.
class Document {
 public:
  /// Parses `text`, which must be one JSON value of at most 4 GiB. Throws Error with line and column (in
  /// bytes, from 1) on invalid JSON, trailing bytes, invalid UTF-8, a repeated key in an object, more than 64
  /// levels, or more than 1024 keys in one object. A byte order mark is skipped.
  explicit Document(std::string_view text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  JsonValue root() const { return {*this, 0}; }

 private:
  friend class JsonValue;
  std::string_view text_;
  JsonNodes nodes_;
};

/// The value as JSON text: ASCII, no spaces.
std::string to_json(JsonValue value);

/// `to_json` for a message: truncated after about 80 bytes.
std::string shown(JsonValue value);

}  // namespace adarun::ranktable
