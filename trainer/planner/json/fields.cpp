// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/json/fields.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clean_text.h"
#include "base/parse_json.h"
#include "trainer/planner/json/graph_json.h"

namespace adarun::planner {
namespace {

/// A value for a message.
std::string shown(const nlohmann::json& value) {
  constexpr std::size_t longest = 60;
  const std::string text = value.is_structured()
                               ? value.type_name()
                               : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string shown(double number) {
  return nlohmann::json(number).dump();
}

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string where)
    : object_(&object), where_(std::move(where)) {
  if (!object.is_object()) fail("not an object: " + shown(object));
}

bool JsonFields::has(const char* name) const {
  return object_->contains(name);
}

std::string JsonFields::text(const char* name) const {
  const nlohmann::json& value = member(name);
  if (!value.is_string()) fail(std::string(name) + ": not a text: " + shown(value));
  return value.get<std::string>();
}

std::int64_t JsonFields::integer(const char* name, std::int64_t least, std::int64_t most) const {
  const nlohmann::json& value = member(name);
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    fail(std::string(name) + ": " + shown(value) + ": not a whole number from " + std::to_string(least) +
         " to " + std::to_string(most));
  }
  return value.get<std::int64_t>();
}

double JsonFields::number(const char* name, double least, double most) const {
  const nlohmann::json& value = member(name);
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(number >= least && number <= most)) {
    fail(std::string(name) + ": " + shown(value) + ": not a number from " + shown(least) + " to " +
         shown(most));
  }
  return number;
}

bool JsonFields::flag(const char* name) const {
  const nlohmann::json& value = member(name);
  if (!value.is_boolean()) fail(std::string(name) + ": " + shown(value) + ": not true or false");
  return value.get<bool>();
}

std::vector<std::string> JsonFields::texts(const char* name) const {
  const nlohmann::json& value = member(name);
  if (!value.is_array()) fail(std::string(name) + ": not a list: " + shown(value));
  std::vector<std::string> all;
  for (const nlohmann::json& item : value) {
    if (!item.is_string()) fail(std::string(name) + ": not a text: " + shown(item));
    all.push_back(item.get<std::string>());
  }
  return all;
}

std::vector<JsonFields> JsonFields::objects(const char* name, std::size_t most) const {
  const nlohmann::json& value = member(name);
  if (!value.is_array()) fail(std::string(name) + ": not a list: " + shown(value));
  if (value.size() > most)
    fail(std::string(name) + ": " + std::to_string(value.size()) + " of them, at most " +
         std::to_string(most) + " are taken");
  std::vector<JsonFields> all;
  for (std::size_t i = 0; i < value.size(); ++i)
    all.emplace_back(value[i], where_ + ": " + name + "[" + std::to_string(i) + "]");
  return all;
}

void JsonFields::fail(const std::string& what) const {
  throw Error(base::clean_line(where_ + ": " + what));
}

void JsonFields::fail_wanting(const char* name, const std::string& found,
                              const std::vector<std::string>& wanted) const {
  std::string words;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    words += (i == 0 ? "" : i + 1 == wanted.size() ? " or " : ", ") + wanted[i];
  fail(std::string(name) + ": \"" + found + "\": not " + words);
}

const nlohmann::json& JsonFields::member(const char* name) const {
  const auto at = object_->find(name);
  if (at == object_->end()) fail(std::string(name) + " is missing");
  return *at;
}

nlohmann::json parse_file(const std::string& text, const std::string& name, const std::string& schema) {
  if (text.size() > most_file_bytes)
    throw Error(name + ": " + std::to_string(text.size()) + " bytes, at most " +
                std::to_string(most_file_bytes) + " are read");
  if (base::is_nested_too_deep(text)) throw Error(name + ": " + base::nested_too_deep_text());
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(name + ": not JSON: at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw Error(name + ": not JSON: a number is too large");
  }
  const JsonFields fields(json, name);
  if (const std::string found = fields.text("schema"); found != schema)
    fields.fail("schema: \"" + found + "\", wanted \"" + schema + "\"");
  return json;
}

}  // namespace adarun::planner
