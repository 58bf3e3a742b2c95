// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/json_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "ranktable/error.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_keys = 1024;
constexpr std::size_t max_shown_bytes = 80;

// A byte iterator that tells how far the lexer has read: nlohmann's events carry no position.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Cursor(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  char operator*() const { return *at_; }
  Cursor& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

[[noreturn]] void fail_at(std::string_view text, std::size_t used, const std::string& what) {
  const std::string_view before = text.substr(0, used == 0 ? 0 : used - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  throw Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
}

// nlohmann's sentence without its own prefix and position; what it quotes may be long and is not always text.
std::string reason(std::string_view what) {
  const std::size_t column = what.find(", column ");
  const std::size_t from = column == std::string_view::npos ? what.find("] ") : what.find(": ", column);
  std::string words(from == std::string_view::npos ? what : what.substr(from + 2));
  if (words.size() > 2 * max_shown_bytes) words = words.substr(0, 2 * max_shown_bytes) + "...";
  for (char& byte : words)
    if (byte < ' ' || byte > '~') byte = '?';
  return words;
}

// Builds the value, and refuses what the library lets pass.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const char* const& furthest) : text_(text), furthest_(furthest) {}

  bool null() override { return add({Kind::null, "null", {}, {}}); }
  bool boolean(bool value) override { return add({Kind::boolean, value ? "true" : "false", {}, {}}); }
  bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& literal) override { return number(literal); }
  bool string(string_t& value) override { return add({Kind::string, std::move(value), {}, {}}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool start_array(std::size_t) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second) fail("key " + in_quotes(name) + " comes twice in one object");
    if (level.keys.size() > max_keys) fail("more than " + std::to_string(max_keys) + " keys in one object");
    level.value.keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t read_bytes, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fail_at(text_, read_bytes, reason(error.what()));
  }

  Json take() { return std::move(root_); }

 private:
  using Kind = Json::Kind;
  struct Level {
    Json value;
    std::set<std::string> keys;
  };

  bool number(std::string literal) { return add({Kind::number, std::move(literal), {}, {}}); }
  bool add(Json value) {
    (levels_.empty() ? root_ : levels_.back().value.items.emplace_back()) = std::move(value);
    return true;
  }
  bool open(Kind kind) {
    if (levels_.size() == max_depth) fail("nested deeper than " + std::to_string(max_depth) + " levels");
    levels_.push_back({{kind, "", {}, {}}, {}});
    return true;
  }
  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }
  [[noreturn]] void fail(const std::string& what) const {
    fail_at(text_, static_cast<std::size_t>(furthest_ - text_.data()), what);
  }

  std::string_view text_;
  const char* const& furthest_;
  std::vector<Level> levels_;
  Json root_;
};

std::string to_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string cut(std::string text) {
  if (text.size() > max_shown_bytes) text = text.substr(0, max_shown_bytes) + "...";
  return text;
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

Json parse_json(std::string_view text) {
  if (text.empty()) throw Error("line 1, column 1: the file is empty, wanted a JSON object");
  // The library takes a zero byte for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    fail_at(text, zero + 1, "a zero byte");
  const char* furthest = text.data();
  Builder builder(text, furthest);
  const char* end = text.data() + text.size();
  nlohmann::json::sax_parse(Cursor(text.data(), &furthest), Cursor(end, &furthest), &builder);
  return builder.take();
}

std::string to_json(const Json& value) {
  if (value.is(Json::Kind::string)) return to_json(std::string_view(value.text));
  if (!value.is(Json::Kind::array) && !value.is(Json::Kind::object)) return value.text;
  const bool object = value.is(Json::Kind::object);
  std::string text(1, object ? '{' : '[');
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) text += ',';
    if (object) text += to_json(std::string_view(value.keys[i])) + ':';
    text += to_json(value.items[i]);
  }
  return text + (object ? '}' : ']');
}

std::string shown(const Json& value) {
  return cut(to_json(value));
}

std::string in_quotes(std::string_view text) {
  return cut(to_json(text.substr(0, 2 * max_shown_bytes)));
}

}  // namespace adarun::ranktable
