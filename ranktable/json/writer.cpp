// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/writer.h"

#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t indent = 4;

}  // namespace

void JsonWriter::text(std::string_view key, const std::string& value, Presence presence) {
  if (value.empty() && !is_written_empty(presence)) return;
  start_member(key);
  item(value);
}

void JsonWriter::text(std::string_view key, const std::optional<std::string>& value) {
  if (value) text(key, *value);
}

void JsonWriter::number_text(std::string_view key, std::int64_t value) {
  start_member(key);
  item(std::to_string(value));
}

void JsonWriter::number_text(std::string_view key, const std::optional<int>& value) {
  if (value) number_text(key, std::int64_t{*value});
}

void JsonWriter::number(std::string_view key, std::int64_t value) {
  start_member(key);
  start_value();
  json_ += std::to_string(value);
}

void JsonWriter::number(std::string_view key, const std::optional<int>& value) {
  if (value) number(key, std::int64_t{*value});
}

void JsonWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  start_member(key);
  open('[');
  for (const std::string& value : values) item(value);
  close(']');
}

void JsonWriter::extras(const std::vector<Extra>& extras) {
  for (const Extra& extra : extras) {
    start_member(extra.name);
    value(Document(extra.json).root());
  }
}

void JsonWriter::item(std::string_view text) {
  start_value();
  append_quoted(json_, text, Malformed::refused);
}

void JsonWriter::value(JsonValue value) {
  if (value.is(JsonKind::string)) return item(value.text());
  if (value.is(JsonKind::object)) {
    open('{');
    for (const JsonMember& member : value.members()) {
      start_member(member.key);
      this->value(member.value);
    }
    return close('}');
  }
  if (value.is(JsonKind::array)) {
    open('[');
    for (const JsonValue& item : value.items()) this->value(item);
    return close(']');
  }
  start_value();
  json_ += value.text();
}

void JsonWriter::start_member(std::string_view key) {
  item(key);
  json_ += format_ == Format::reference ? ": " : ":";
  is_behind_key_ = true;
}

void JsonWriter::start_value() {
  if (!is_behind_key_ && depth_ > 0) {
    if (!is_first_) json_ += ',';
    new_line();
  }
  is_behind_key_ = false;
  is_first_ = false;
}

void JsonWriter::open(char bracket) {
  start_value();
  json_ += bracket;
  ++depth_;
  is_first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!is_first_) new_line();
  json_ += bracket;
  is_first_ = false;
}

void JsonWriter::new_line() {
  if (format_ == Format::compact) return;
  json_ += '\n';
  json_.append(indent * depth_, ' ');
}

}  // namespace adarun::ranktable
