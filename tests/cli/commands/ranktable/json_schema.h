// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>

namespace adarun::ranktable {

/// Checks values against a JSON Schema (draft 2020-12). It knows the few keywords that our schemas use and
/// throws std::runtime_error on any other, so that none is ignored.
class JsonSchema {
 public:
  using Json = nlohmann::json;

  explicit JsonSchema(Json root) : root_(std::move(root)) {}

  /// Why `value` does not conform, with its place; empty where it does.
  std::string refusal(const Json& value) const { return check(root_, value, "$"); }

 private:
  std::string check(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [keyword, wanted] : schema.items()) {
      const std::string wrong = check_keyword(keyword, wanted, schema, value, at);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_keyword(const std::string& keyword, const Json& wanted, const Json& schema,
                            const Json& value, const std::string& at) const {
    const auto unless = [&](bool conforms) {
      return conforms ? "" : at + ": " + keyword + " " + wanted.dump();
    };
    if (keyword == "$schema" || keyword == "$defs" || keyword == "title" || keyword == "description")
      return "";
    if (keyword == "type") return unless(is_of_type(value, wanted));
    if (keyword == "enum") return unless(std::find(wanted.begin(), wanted.end(), value) != wanted.end());
    if (keyword == "const") return unless(value == wanted);
    if (keyword == "minimum") return unless(value >= wanted);
    if (keyword == "minLength") return unless(value.get<std::string>().size() >= wanted.get<std::size_t>());
    if (keyword == "pattern")
      return unless(std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>())));
    if (keyword == "$ref")
      return check(root_.at(Json::json_pointer(wanted.get<std::string>().substr(1))), value, at);
    if (keyword == "oneOf")
      return unless(std::count_if(wanted.begin(), wanted.end(),
                                  [&](const Json& one) { return check(one, value, at).empty(); }) == 1);
    if (keyword == "items") return check_items(wanted, value, at);
    if (keyword == "properties") return check_properties(wanted, value, at);
    if (keyword == "required")
      return unless(std::all_of(wanted.begin(), wanted.end(),
                                [&](const Json& key) { return value.contains(key.get<std::string>()); }));
    if (keyword == "additionalProperties" && wanted == false) {
      for (const auto& [key, member] : value.items())
        if (!schema.at("properties").contains(key)) return at + ": has " + key;
      return "";
    }
    throw std::runtime_error("JSON Schema: keyword " + keyword + " is not known here");
  }

  std::string check_items(const Json& schema, const Json& list, const std::string& at) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string wrong = check(schema, list[i], at + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string check_properties(const Json& schemas, const Json& object, const std::string& at) const {
    for (const auto& [key, schema] : schemas.items()) {
      if (!object.contains(key)) continue;
      const std::string wrong = check(schema, object[key], at + "." + key);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  static bool is_of_type(const Json& value, const std::string& type) {
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    throw std::runtime_error("JSON Schema: type " + type + " is not known here");
  }

  Json root_;
};

}  // namespace adarun::ranktable
