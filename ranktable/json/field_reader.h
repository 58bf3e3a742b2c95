// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/fields.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// Stands for a number that cannot be read, so that other rules can still be checked.
inline constexpr int unreadable = -1;

/// The archive (model/fields.h) that reads the fields of one JSON object of a table. Errors become findings;
/// what cannot be read is empty, a number `unreadable`. When the table has 10,000 findings, its lists are not
/// read further. Borrows the path and the findings.
class FieldReader {
 public:
  /// As much of a struct of a table as can be read: its fields, and all others as extras. `json` may be any
  /// value: if it is not a JSON object, that is a finding, and it has no fields.
  template <typename Record>
  static Record read(JsonValue json, const Path& path, Findings& findings) {
    Record record;
    FieldReader(json, path, findings).read_into(record);
    return record;
  }

  void text(std::string_view key, std::string& value, Presence presence = Presence::required);
  void text(std::string_view key, std::optional<std::string>& value);
  void number_text(std::string_view key, int& value);
  void number_text(std::string_view key, std::optional<int>& value);
  void number(std::string_view key, int& value);
  void number(std::string_view key, std::optional<int>& value);
  void texts(std::string_view key, std::vector<std::string>& values);

  template <typename Item>
  void list(std::string_view key, std::vector<Item>& items, Presence presence = Presence::required) {
    if (is_extra(presence)) return;
    const std::vector<JsonValue> values = items_of(key, find(key, presence));
    for (std::size_t i = 0; i < values.size() && findings_.size() < most_findings; ++i) {
      const Path path(path_, key, i);
      FieldReader reader(values[i], path, findings_);
      reader.has_version_1_2_ = has_version_1_2_;
      reader.read_into(items.emplace_back());
    }
    read_those_left();
  }

  /// The first of the list if there are several, which is a finding, as is none.
  template <typename Item>
  void sole_item(std::string_view key, Item& item) {
    std::vector<Item> items;
    list(key, items);
    if (items.size() != 1) report_items(key, items.size());
    if (items.empty()) FieldReader(path_, findings_).read_into(items.emplace_back());
    item = std::move(items.front());
  }

  void count(std::string_view key, std::optional<std::string>& wrong, std::size_t count,
             Presence presence = Presence::required);
  void count(std::string_view key, std::optional<std::int64_t>& wrong, std::size_t count);

  template <typename Some>
  void read_later(Some some) {
    left_.push_back([some](FieldReader& reader) { some(reader); });
  }

  void without_version_1_2() { has_version_1_2_ = false; }
  void of_other_tools(std::initializer_list<std::string_view>) {}

 private:
  struct Field {
    JsonMember member;
    bool asked = false;
  };

  FieldReader(JsonValue object, const Path& path, Findings& findings);

  // Of an object that is not there.
  FieldReader(const Path& path, Findings& findings) : path_(path), findings_(findings) {}

  template <typename Record>
  void read_into(Record& record) {
    record.fields(*this);
    read_those_left();
    record.extras = extras();
  }

  void read_those_left();
  bool is_extra(Presence presence) const { return presence == Presence::version_1_2 && !has_version_1_2_; }

  // All fields not read so far, in the order of the file.
  std::vector<Extra> extras() const;

  const JsonValue* find(std::string_view key, Presence presence);
  std::optional<std::string> string_of(std::string_view key, const JsonValue* value);
  std::optional<int> decimal_of(std::string_view key, const JsonValue* value);
  std::optional<int> integer_of(std::string_view key, const JsonValue* value);
  std::vector<JsonValue> items_of(std::string_view key, const JsonValue* value);
  void report(std::string_view key, const Rule& rule, std::string found);
  void report_items(std::string_view key, std::size_t items);

  /// Lists are not read further, so that those of a million zeros take no memory for findings about each.
  static constexpr std::size_t most_findings = 10'000;

  const Path& path_;
  Findings& findings_;
  bool is_object_ = false;
  bool has_version_1_2_ = true;
  std::vector<Field> fields_;
  std::vector<std::function<void(FieldReader&)>> left_;
};

/// A table as it is read from what is written of it: extras that are fields of its schema become those.
/// Throws Error, which begins with `name`, if they are not valid.
template <typename SomeTable>
SomeTable read_again(const SomeTable& table, const std::string& name) {
  JsonWriter out(JsonWriter::Format::compact);
  out.record(table);
  const std::string text = out.take();
  Findings findings;
  SomeTable read = FieldReader::read<SomeTable>(Document(text).root(), Path(), findings);
  require_valid(findings, name);
  return read;
}

}  // namespace adarun::ranktable
