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

/// What a number that cannot be read becomes, so that the other rules can go on.
inline constexpr int unreadable = -1;

/// Makes a value of one item of a list; what is wrong with it becomes a finding.
template <typename Item>
using ReadItem = Item (*)(JsonValue json, const Path& path, Findings& findings);

/// The fields of one JSON object of a table, asked for by name. What is wrong with one becomes a finding.
/// Borrows the path and the findings.
class JsonFields {
 public:
  /// `object` may be anything: what is no JSON object is a finding, and has no fields.
  JsonFields(JsonValue object, const Path& path, Findings& findings);

  /// A string that must be there; empty where it is not.
  std::string text(std::string_view key);

  /// A string; empty where it is absent.
  std::string optional_text(std::string_view key);

  /// A string, where it is there.
  std::optional<std::string> text_if_present(std::string_view key);

  /// A string of decimal digits, without sign or leading zero, that fits an int; else `unreadable`. As 1.x,
  /// cloud and lab tables have numbers.
  int number_text(std::string_view key);

  /// A JSON integer from 0 on that fits an int; else `unreadable`. As 2.0 has numbers.
  int number(std::string_view key);
  std::optional<int> number_if_present(std::string_view key);

  /// A string that must be there and say `count`: what it says, where that is something else.
  std::optional<std::string> wrong_count_text(std::string_view key, std::size_t count);

  /// A JSON integer that must be there and be `count`: what it is, where that is something else.
  std::optional<std::int64_t> wrong_count(std::string_view key, std::size_t count);

  /// An array that must be there: `read_item` makes a value of each of its items.
  template <typename Item>
  std::vector<Item> list(std::string_view key, ReadItem<Item> read_item) {
    return read_items(key, items_of(key, find_required(key)), read_item);
  }

  /// Likewise, empty where it is absent.
  template <typename Item>
  std::vector<Item> optional_list(std::string_view key, ReadItem<Item> read_item) {
    return read_items(key, items_of(key, find(key)), read_item);
  }

  /// An array of strings that must be there.
  std::vector<std::string> texts(std::string_view key);

  /// Whether there is a field of that name; asks for nothing.
  bool has(std::string_view key) const;

  /// All fields that were not asked for so far, in the order of the file.
  std::vector<Extra> extras() const;

  /// A finding about a field.
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
    items.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      items.push_back(read_item(values[i], Path(path_, key, i), findings_));
    return items;
  }

  const Path& path_;
  Findings& findings_;
  bool is_object_;
  std::vector<Field> fields_;
};

}  // namespace adarun::ranktable
