// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/fields.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Builds JSON text value by value; also the archive (model/fields.h) that writes tables. Throws Error on
/// text that is not UTF-8.
class JsonWriter {
 public:
  enum class Format {
    reference,  ///< Like the reference tools: indent 4, ASCII, no newline at the end.
    compact,    ///< No spaces, ASCII.
  };

  explicit JsonWriter(Format format) : format_(format) {}

  /// Writes a struct of a table as an object: its fields, with counts recomputed, then its extras unchanged.
  template <typename Record>
  void record(const Record& record) {
    open('{');
    const_cast<Record&>(record).fields(*this);  // NOLINT: `fields` is one function for reading and writing
    extras(record.extras);
    close('}');
  }

  void text(std::string_view key, const std::string& value, Presence presence = Presence::required);
  void text(std::string_view key, const std::optional<std::string>& value);
  void number_text(std::string_view key, std::int64_t value);
  void number_text(std::string_view key, const std::optional<int>& value);
  void number(std::string_view key, std::int64_t value);
  void number(std::string_view key, const std::optional<int>& value);
  void texts(std::string_view key, const std::vector<std::string>& values);

  template <typename Item>
  void list(std::string_view key, const std::vector<Item>& items, Presence presence = Presence::required) {
    if (!items.empty() || is_written_empty(presence)) list_of(key, std::span(items));
  }
  template <typename Item>
  void sole_item(std::string_view key, const Item& item) {
    list_of(key, std::span(&item, 1));
  }

  void count(std::string_view key, const std::optional<std::string>& /*wrong*/, std::size_t count,
             Presence = Presence::required) {
    number_text(key, static_cast<std::int64_t>(count));
  }
  void count(std::string_view key, const std::optional<std::int64_t>& /*wrong*/, std::size_t count) {
    number(key, static_cast<std::int64_t>(count));
  }

  void read_later(const auto& some) { some(*this); }
  void without_version_1_2() {}
  void of_other_tools(std::initializer_list<std::string_view>) {}

  /// Writes a value of a document: an array item, or the whole text.
  void value(JsonValue value);

  std::string take() { return std::move(json_); }

 private:
  template <typename Item>
  void list_of(std::string_view key, std::span<const Item> items) {
    start_member(key);
    open('[');
    for (const Item& item : items) record(item);
    close(']');
  }
  static bool is_written_empty(Presence presence) { return presence <= Presence::optional; }

  void extras(const std::vector<Extra>& extras);
  void item(std::string_view text);
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
