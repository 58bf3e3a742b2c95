// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/field_reader.h"

#include <utility>

#include "ranktable/model/decimal.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_there{"must be there", "EI0017", "add the field"};
constexpr Rule is_object{"must be an object", "EI0004", "write an object, in { }"};
constexpr Rule is_array{"must be an array", "EI0004", "write a list, in [ ]"};
constexpr Rule is_string{"must be a string", "EI0014", "write it in double quotes"};
constexpr Rule is_decimal{"must be a decimal number, without sign or leading zero", "EI0014",
                          "write digits alone, in double quotes, such as \"7\""};
constexpr Rule is_integer{"must be an integer from 0 to 2147483647", "EI0014",
                          "write digits alone, without quotes"};
constexpr Rule has_one_device{"must have exactly one device", "EI0014", "write an instance for each device"};

}  // namespace

FieldReader::FieldReader(JsonValue object, const Path& path, Findings& findings)
    : path_(path), findings_(findings), is_object_(object.is(JsonKind::object)) {
  if (!is_object_) {
    ranktable::report(findings_, is_object, path_.text(), shown(object));
    return;
  }
  const std::vector<JsonMember> members = object.members();
  fields_.reserve(members.size());
  for (const JsonMember& member : members) fields_.push_back({member});
}

void FieldReader::text(std::string_view key, std::string& value, Presence presence) {
  if (!is_extra(presence)) value = string_of(key, find(key, presence)).value_or("");
}

void FieldReader::text(std::string_view key, std::optional<std::string>& value) {
  value = string_of(key, find(key, Presence::optional));
}

void FieldReader::number_text(std::string_view key, int& value) {
  value = decimal_of(key, find(key, Presence::required)).value_or(unreadable);
}

void FieldReader::number_text(std::string_view key, std::optional<int>& value) {
  if (const JsonValue* json = find(key, Presence::optional))
    value = decimal_of(key, json).value_or(unreadable);
}

void FieldReader::number(std::string_view key, int& value) {
  value = integer_of(key, find(key, Presence::required)).value_or(unreadable);
}

void FieldReader::number(std::string_view key, std::optional<int>& value) {
  value = integer_of(key, find(key, Presence::optional));
}

void FieldReader::texts(std::string_view key, std::vector<std::string>& values) {
  const std::vector<JsonValue> items = items_of(key, find(key, Presence::required));
  values.reserve(items.size());
  for (std::size_t i = 0; i < items.size() && findings_.size() < most_findings; ++i) {
    values.emplace_back(items[i].text());
    if (!items[i].is(JsonKind::string))
      ranktable::report(findings_, is_string, Path(path_, key, i).text(), shown(items[i]));
  }
}

void FieldReader::count(std::string_view key, std::optional<std::string>& wrong, std::size_t count,
                        Presence presence) {
  wrong = string_of(key, find(key, presence));
  if (wrong == std::to_string(count)) wrong.reset();
}

void FieldReader::count(std::string_view key, std::optional<std::int64_t>& wrong, std::size_t count) {
  wrong = integer_of(key, find(key, Presence::required));
  if (wrong == static_cast<std::int64_t>(count)) wrong.reset();
}

void FieldReader::read_those_left() {
  for (const auto& read : std::exchange(left_, {})) read(*this);
}

std::vector<Extra> FieldReader::extras() const {
  std::vector<Extra> rest;
  for (const Field& field : fields_)
    if (!field.asked) rest.push_back({std::string(field.member.key), to_json(field.member.value)});
  return rest;
}

void FieldReader::report(std::string_view key, const Rule& rule, std::string found) {
  ranktable::report(findings_, rule, path_.text() + "." + std::string(key), std::move(found));
}

void FieldReader::report_items(std::string_view key, std::size_t items) {
  report(key, has_one_device, std::to_string(items) + " devices");
}

// A field that is required and not there is a finding.
const JsonValue* FieldReader::find(std::string_view key, Presence presence) {
  for (Field& field : fields_) {
    if (field.member.key != key) continue;
    field.asked = true;
    return &field.member.value;
  }
  if (presence == Presence::required && is_object_) report(key, is_there, "");
  return nullptr;
}

std::optional<std::string> FieldReader::string_of(std::string_view key, const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is(JsonKind::string)) return std::string(value->text());
  report(key, is_string, shown(*value));
  return std::nullopt;
}

std::optional<int> FieldReader::decimal_of(std::string_view key, const JsonValue* value) {
  const std::optional<std::string> digits = string_of(key, value);
  if (!digits) return std::nullopt;
  const std::optional<int> number = parse_decimal(*digits);
  if (!number) report(key, is_decimal, in_quotes(*digits));
  return number;
}

std::optional<int> FieldReader::integer_of(std::string_view key, const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is(JsonKind::number))
    if (const std::optional<int> number = parse_decimal(value->text())) return number;
  report(key, is_integer, shown(*value));
  return std::nullopt;
}

std::vector<JsonValue> FieldReader::items_of(std::string_view key, const JsonValue* value) {
  if (value == nullptr) return {};
  if (value->is(JsonKind::array)) return value->items();
  report(key, is_array, shown(*value));
  return {};
}

}  // namespace adarun::ranktable
