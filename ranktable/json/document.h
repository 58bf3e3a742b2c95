// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/json/reader.h"

namespace adarun::ranktable {

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
  /// Throws Error like `read_nodes`.
  explicit Document(std::string_view text) : text_(text), nodes_(read_nodes(text)) {}
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
