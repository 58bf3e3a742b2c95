// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Builds JSON text value by value. Throws Error on text that is not UTF-8.
class JsonWriter {
 public:
  enum class Format {
    reference,  ///< Like the reference tools: indent 4, ASCII, no newline at the end.
    compact,    ///< No spaces, ASCII.
  };

  explicit JsonWriter(Format format) : format_(format) {}

  /// Writes an object; `body` writes its members.
  template <typename Body>
  void object(Body body) {
    open('{');
    body();
    close('}');
  }

  /// Writes an array member; `write_item` writes each of `items`.
  template <typename Items, typename WriteItem>
  void list(std::string_view key, const Items& items, WriteItem write_item) {
    start_member(key);
    open('[');
    for (const auto& item : items) write_item(*this, item);
    close(']');
  }

  /// Writes a string member. `number_text` writes a number as a string, as in 1.x.
  void text(std::string_view key, std::string_view value);
  void number_text(std::string_view key, std::int64_t value);
  void number(std::string_view key, std::int64_t value);

  /// Writes a member that is an array of strings.
  void texts(std::string_view key, const std::vector<std::string>& values);

  /// Writes extra members unchanged.
  void extras(const std::vector<Extra>& extras);

  /// Writes an array item, or the whole text.
  void item(std::string_view text);
  void value(JsonValue value);

  std::string take() { return std::move(json_); }

 private:
  void start_member(std::string_view key);
  void start_value();
  void open(char bracket);
  void close(char bracket);
  void new_line();

  Format format_;
  std::string json_;
  std::size_t depth_ = 0;
  bool is_first_ = true;  // in its array or object
  bool is_behind_key_ = false;
};

}  // namespace adarun::ranktable
