// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/json/path.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Stands for a number that cannot be read, so that other rules can still be checked.
inline constexpr int unreadable = -1;

/// Reads one item of a list; errors become findings.
template <typename Item>
using ReadItem = Item (*)(JsonValue json, const Path& path, Findings& findings);

/// Reads the fields of one JSON object of a table by name. Errors become findings; when the table has 10,000
/// of them, its lists are not read further. Borrows the path and the findings.
class JsonFields {
 public:
  /// `object` may be any value: if it is not a JSON object, that is a finding, and it has no fields.
  JsonFields(JsonValue object, const Path& path, Findings& findings);

  /// A required string; empty if missing.
  std::string text(std::string_view key);

  /// An optional string; empty if absent.
  std::string optional_text(std::string_view key);

  /// An optional string; nothing if absent.
  std::optional<std::string> text_if_present(std::string_view key);

  /// A required string of decimal digits, without sign or leading zero, that fits an int; else `unreadable`.
  /// The form of numbers in 1.x, cloud and lab tables.
  int number_text(std::string_view key);

  /// A required JSON integer, at least 0, that fits an int; else `unreadable`. The form of numbers in 2.0.
  int number(std::string_view key);
  std::optional<int> number_if_present(std::string_view key);

  /// A required string that must equal `count`; returns its value if it differs.
  std::optional<std::string> wrong_count_text(std::string_view key, std::size_t count);

  /// A required JSON integer that must equal `count`; returns its value if it differs.
  std::optional<std::int64_t> wrong_count(std::string_view key, std::size_t count);

  /// A required array; `read_item` reads each item.
  template <typename Item>
  std::vector<Item> list(std::string_view key, ReadItem<Item> read_item) {
    return read_items(key, items_of(key, find_required(key)), read_item);
  }

  /// An optional array; empty if absent.
  template <typename Item>
  std::vector<Item> optional_list(std::string_view key, ReadItem<Item> read_item) {
    return read_items(key, items_of(key, find(key)), read_item);
  }

  /// A required array of strings.
  std::vector<std::string> texts(std::string_view key);

  /// Whether there is a field of that name; does not count as reading it.
  bool has(std::string_view key) const;

  /// All fields not read so far, in the order of the file.
  std::vector<Extra> extras() const;

  /// Adds a finding about a field.
  void report(std::string_view key, const Rule& rule, std::string found);

 private:
  struct Field {
    JsonMember member;
    bool asked = false;
  };

  const JsonValue* find(std::string_view key);
  const JsonValue* find_required(std::string_view key);
  std::optional<std::string> string_of(std::string_view key, const JsonValue* value);
  std::optional<int> integer_of(std::string_view key, const JsonValue* value);
  std::vector<JsonValue> items_of(std::string_view key, const JsonValue* value);

  template <typename Item>
  std::vector<Item> read_items(std::string_view key, const std::vector<JsonValue>& values,
                               ReadItem<Item> read_item) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < values.size() && findings_.size() < most_findings; ++i)
      items.push_back(read_item(values[i], Path(path_, key, i), findings_));
    return items;
  }

  /// Lists are not read further, so that those of a million zeros take no memory for findings about each.
  static constexpr std::size_t most_findings = 10'000;

  const Path& path_;
  Findings& findings_;
  bool is_object_;
  std::vector<Field> fields_;
};

}  // namespace adarun::ranktable
