// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/fields.h"

#include <utility>

#include "ranktable/decimal.h"

namespace adarun::ranktable {

Fields::Fields(const Json& object, std::string path, std::vector<Finding>& findings)
    : object_(object),
      path_(std::move(path)),
      findings_(findings),
      is_object_(object.is(Json::Kind::object)) {
  if (!is_object_)
    findings_.push_back({Severity::error, path_, "must be an object", "EI0004", shown(object)});
}

std::string Fields::text(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr && is_object_) report(key, "must be there", "EI0017", "");
  return string_of(key, value);
}

std::string Fields::optional_text(const std::string& key) {
  return string_of(key, find(key));
}

int Fields::number(const std::string& key) {
  const std::size_t before = findings_.size();
  const std::string digits = text(key);
  if (findings_.size() != before || !is_object_) return unreadable;
  if (const std::optional<int> value = parse_decimal(digits)) return *value;
  report(key, "must be a decimal number, without sign or leading zero", "EI0014", in_quotes(digits));
  return unreadable;
}

const Json* Fields::list(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) {
    if (is_object_) report(key, "must be there", "EI0017", "");
    return nullptr;
  }
  if (value->is(Json::Kind::array)) return value;
  report(key, "must be an array", "EI0004", shown(*value));
  return nullptr;
}

std::vector<Extra> Fields::extras() const {
  std::vector<Extra> rest;
  if (!is_object_) return rest;
  for (std::size_t i = 0; i < object_.keys.size(); ++i)
    if (asked_.count(object_.keys[i]) == 0) rest.push_back({object_.keys[i], to_json(object_.items[i])});
  return rest;
}

const Json* Fields::find(const std::string& key) {
  asked_.insert(key);
  return is_object_ ? object_.find(key) : nullptr;
}

std::string Fields::string_of(const std::string& key, const Json* value) {
  if (value == nullptr) return "";
  if (value->is(Json::Kind::string)) return value->text;
  report(key, "must be a string", "EI0014", shown(*value));
  return "";
}

void Fields::report(const std::string& key, std::string rule, std::string code, std::string found) {
  findings_.push_back(
      {Severity::error, path_ + "." + key, std::move(rule), std::move(code), std::move(found)});
}

}  // namespace adarun::ranktable
