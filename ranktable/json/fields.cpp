// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"

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

}  // namespace

JsonFields::JsonFields(JsonValue object, const Path& path, Findings& findings)
    : path_(path), findings_(findings), is_object_(object.is(JsonKind::object)) {
  if (!is_object_) {
    ranktable::report(findings_, is_object, path_.text(), shown(object));
    return;
  }
  const std::vector<JsonMember> members = object.members();
  fields_.reserve(members.size());
  for (const JsonMember& member : members) fields_.push_back({member});
}

std::string JsonFields::text(std::string_view key) {
  return string_of(key, find_required(key)).value_or("");
}

std::string JsonFields::optional_text(std::string_view key) {
  return text_if_present(key).value_or("");
}

std::optional<std::string> JsonFields::text_if_present(std::string_view key) {
  return string_of(key, find(key));
}

int JsonFields::number_text(std::string_view key) {
  const std::optional<std::string> digits = string_of(key, find_required(key));
  if (!digits) return unreadable;
  if (const std::optional<int> value = parse_decimal(*digits)) return *value;
  report(key, is_decimal, in_quotes(*digits));
  return unreadable;
}

int JsonFields::number(std::string_view key) {
  return integer_of(key, find_required(key)).value_or(unreadable);
}

std::optional<int> JsonFields::number_if_present(std::string_view key) {
  return integer_of(key, find(key));
}

std::optional<std::string> JsonFields::wrong_count_text(std::string_view key, std::size_t count) {
  std::optional<std::string> claimed = string_of(key, find_required(key));
  if (claimed == std::to_string(count)) claimed.reset();
  return claimed;
}

std::optional<std::int64_t> JsonFields::wrong_count(std::string_view key, std::size_t count) {
  const std::optional<int> claimed = integer_of(key, find_required(key));
  if (!claimed || *claimed == static_cast<std::int64_t>(count)) return std::nullopt;
  return *claimed;
}

std::vector<std::string> JsonFields::texts(std::string_view key) {
  const std::vector<JsonValue> items = items_of(key, find_required(key));
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (std::size_t i = 0; i < items.size() && findings_.size() < most_findings; ++i) {
    texts.emplace_back(items[i].text());
    if (!items[i].is(JsonKind::string))
      ranktable::report(findings_, is_string, Path(path_, key, i).text(), shown(items[i]));
  }
  return texts;
}

bool JsonFields::has(std::string_view key) const {
  for (const Field& field : fields_)
    if (field.member.key == key) return true;
  return false;
}

std::vector<Extra> JsonFields::extras() const {
  std::vector<Extra> rest;
  for (const Field& field : fields_)
    if (!field.asked) rest.push_back({std::string(field.member.key), to_json(field.member.value)});
  return rest;
}

void JsonFields::report(std::string_view key, const Rule& rule, std::string found) {
  ranktable::report(findings_, rule, path_.text() + "." + std::string(key), std::move(found));
}

const JsonValue* JsonFields::find(std::string_view key) {
  for (Field& field : fields_) {
    if (field.member.key != key) continue;
    field.asked = true;
    return &field.member.value;
  }
  return nullptr;
}

const JsonValue* JsonFields::find_required(std::string_view key) {
  const JsonValue* value = find(key);
  if (value == nullptr && is_object_) report(key, is_there, "");
  return value;
}

std::optional<std::string> JsonFields::string_of(std::string_view key, const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is(JsonKind::string)) return std::string(value->text());
  report(key, is_string, shown(*value));
  return std::nullopt;
}

std::optional<int> JsonFields::integer_of(std::string_view key, const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is(JsonKind::number))
    if (const std::optional<int> number = parse_decimal(value->text())) return number;
  report(key, is_integer, shown(*value));
  return std::nullopt;
}

std::vector<JsonValue> JsonFields::items_of(std::string_view key, const JsonValue* value) {
  if (value == nullptr) return {};
  if (value->is(JsonKind::array)) return value->items();
  report(key, is_array, shown(*value));
  return {};
}

}  // namespace adarun::ranktable
