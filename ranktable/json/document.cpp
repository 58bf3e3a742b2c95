// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/document.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "base/clean_text.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

// A position in a JSON text, advanced while reading, and the error messages about it. Borrows the text.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(at_); }
  std::size_t offset() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }

  // 0 at the end.
  char byte() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void advance(std::size_t bytes = 1) { at_ += bytes; }
  void skip_blanks();

  // Moves past `wanted` if it is here; returns whether it was.
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // Same, but throws Error if it is not here. `name` stands for it in the message.
  void require(char wanted, const char* name) {
    if (!take(wanted)) fail_wanting(name);
  }

  // Throws Error with the line and column of this or another position, counted from 1; columns are bytes.
  [[noreturn]] void fail(const std::string& what) const { fail_at(at_, what); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const;

  // Same, with what was found here and what was wanted.
  [[noreturn]] void fail_wanting(const std::string& wanted) const {
    fail("found " + found() + ", wanted " + wanted);
  }

 private:
  std::string found() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

void JsonCursor::skip_blanks() {
  constexpr std::string_view indentation = "        ";  // most of a table's text
  for (; at_ < text_.size(); ++at_) {
    const char next = text_[at_];
    if (next != ' ' && next != '\n' && next != '\t' && next != '\r') return;
    while (text_.size() - at_ > indentation.size() &&
           std::memcmp(text_.data() + at_ + 1, indentation.data(), indentation.size()) == 0)
      at_ += indentation.size();
  }
}

void JsonCursor::fail_at(std::size_t offset, const std::string& what) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = offset - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  throw Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
}

std::string JsonCursor::found() const {
  if (at_end()) return "the end";
  if (byte() > ' ' && byte() < 0x7F) return in_quotes(text_.substr(at_, 1));
  if (byte() == '\0') return "a zero byte";
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "byte 0x%02x", static_cast<unsigned char>(byte()));
  return name.data();
}

// For each byte: whether it is valid in a string by itself, without escape or following bytes.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}();

bool is_plain_byte(char byte) {
  return plain_bytes[static_cast<unsigned char>(byte)];
}

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20;
}

int hex_digit(char byte) {
  if (is_digit(byte)) return byte - '0';
  const char lower = static_cast<char>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The node of a scalar; add_scalar() sets its `next`.
JsonNode scalar(JsonKind kind, std::size_t start, std::size_t end, bool unescaped = false) {
  return {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start), 0, kind, unescaped};
}

// Reads a UTF-16 code unit: the four hex digits of \u.
char32_t read_unit(JsonCursor& cursor) {
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i, cursor.advance()) {
    const int digit = hex_digit(cursor.byte());
    if (digit < 0) cursor.fail_wanting("four hex digits");
    unit = unit << 4U | static_cast<char32_t>(digit);
  }
  return unit;
}

void read_escape(JsonCursor& cursor, std::string& unescaped) {
  constexpr std::string_view letters = "\"\"\\\\//b\bf\fn\nr\rt\t";  // letter, then its byte
  const std::size_t start = cursor.offset();
  cursor.advance();
  for (std::size_t i = 0; i < letters.size(); i += 2) {
    if (cursor.byte() != letters[i]) continue;
    unescaped += letters[i + 1];
    cursor.advance();
    return;
  }
  if (!cursor.take('u')) cursor.fail_wanting("an escape");
  char32_t unit = read_unit(cursor);
  if (unit >= 0xD800 && unit < 0xDC00 && cursor.take('\\') && cursor.take('u')) {
    const char32_t low = read_unit(cursor);
    unit = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((unit & 0x3FFU) << 10U) + (low & 0x3FFU) : unit;
  }
  if (unit >= 0xD800 && unit < 0xE000) cursor.fail_at(start, "found half a surrogate pair, wanted both");
  append_utf8(unescaped, unit);
}

// Reads a string that is not plain, from `start` to its end.
JsonNode read_rest_of_string(JsonCursor& cursor, std::size_t start, std::string& unescaped) {
  const std::size_t unescaped_start = unescaped.size();
  unescaped += cursor.text().substr(start, cursor.offset() - start);
  while (cursor.byte() != '"') {
    if (cursor.byte() == '\\') {
      read_escape(cursor, unescaped);
      continue;
    }
    if (is_control(cursor.byte())) cursor.fail_wanting("the end of the string");
    const base::CodePoint next = base::first_code_point(cursor.rest());
    if (!next.valid) {
      cursor.advance(next.size_bytes);
      cursor.fail_wanting("UTF-8");
    }
    unescaped += cursor.rest().substr(0, next.size_bytes);
    cursor.advance(next.size_bytes);
  }
  cursor.advance();
  return scalar(JsonKind::string, unescaped_start, unescaped.size(), true);
}

void read_digits(JsonCursor& cursor) {
  if (!is_digit(cursor.byte())) cursor.fail_wanting("a digit");
  while (is_digit(cursor.byte())) cursor.advance();
}

// Reads the string whose opening quote is at `cursor`, and moves past it. If the string is not plain, its
// value is appended to `unescaped`.
JsonNode read_string(JsonCursor& cursor, std::string& unescaped) {
  cursor.advance();
  const std::size_t start = cursor.offset();
  const std::string_view rest = cursor.rest();
  const auto special = std::find_if_not(rest.begin(), rest.end(), is_plain_byte);
  cursor.advance(static_cast<std::size_t>(special - rest.begin()));
  const std::size_t end = cursor.offset();
  if (!cursor.take('"')) return read_rest_of_string(cursor, start, unescaped);
  return scalar(JsonKind::string, start, end);
}

JsonNode read_number(JsonCursor& cursor) {
  const std::size_t start = cursor.offset();
  if (!cursor.take('-') && !is_digit(cursor.byte())) cursor.fail_wanting("a value");
  if (!cursor.take('0')) read_digits(cursor);
  if (cursor.take('.')) read_digits(cursor);
  if (cursor.take('e') || cursor.take('E')) {
    if (!cursor.take('+')) cursor.take('-');
    read_digits(cursor);
  }
  return scalar(JsonKind::number, start, cursor.offset());
}

// "true", "false" or "null".
JsonNode read_word(JsonCursor& cursor, JsonKind kind, std::string_view word) {
  if (!cursor.rest().starts_with(word)) cursor.fail_wanting("a value");
  const std::size_t start = cursor.offset();
  cursor.advance(word.size());
  return scalar(kind, start, cursor.offset());
}

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_keys = 1024;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Parses the structure of a text, its arrays and objects, and checks limits.
class NodeReader {
 public:
  explicit NodeReader(std::string_view text) : cursor_(text) { result_.nodes.reserve(text.size() / 24); }

  JsonNodes read() {
    const std::string_view text = cursor_.text();
    if (text.empty()) cursor_.fail("the file is empty, wanted a JSON object");
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) cursor_.fail("more than 4 GiB");
    if (text.starts_with(byte_order_mark)) cursor_.advance(byte_order_mark.size());
    read_value();
    cursor_.skip_blanks();
    if (!cursor_.at_end()) cursor_.fail_wanting("the end");
    return std::move(result_);
  }

 private:
  struct ObjectKey {
    std::size_t node;
    std::size_t offset;
  };

  void read_value() {
    cursor_.skip_blanks();
    switch (cursor_.byte()) {
      case '{':
        return read_object();
      case '[':
        return read_array();
      case '"':
        return add_scalar(read_string(cursor_, result_.unescaped));
      case 't':
        return add_scalar(read_word(cursor_, JsonKind::boolean, "true"));
      case 'f':
        return add_scalar(read_word(cursor_, JsonKind::boolean, "false"));
      case 'n':
        return add_scalar(read_word(cursor_, JsonKind::null, "null"));
      default:
        return add_scalar(read_number(cursor_));
    }
  }

  void read_object() {
    const std::size_t node = open(JsonKind::object);
    const std::size_t first_key = keys_.size();
    cursor_.skip_blanks();
    if (!cursor_.take('}')) {
      do {
        read_key();
        if (keys_.size() - first_key > max_keys)
          cursor_.fail("more than " + std::to_string(max_keys) + " keys in one object");
        cursor_.skip_blanks();
        cursor_.require(':', "\":\"");
        read_value();
        cursor_.skip_blanks();
      } while (cursor_.take(','));
      cursor_.require('}', "\",\" or \"}\"");
    }
    close(node, keys_.size() - first_key);
    check_keys(first_key);
    keys_.resize(first_key);
  }

  void read_key() {
    cursor_.skip_blanks();
    if (cursor_.byte() != '"') cursor_.fail_wanting("a key in double quotes");
    keys_.push_back({result_.nodes.size(), cursor_.offset()});
    add_scalar(read_string(cursor_, result_.unescaped));
  }

  std::string_view key_text(const ObjectKey& key) const {
    const JsonNode& node = result_.nodes[key.node];
    return (node.unescaped ? std::string_view(result_.unescaped) : cursor_.text()).substr(node.at, node.size);
  }

  // Checks the keys of one object, those from `first` on, for repeats.
  void check_keys(std::size_t first) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, keys_.end(), [this](const ObjectKey& left, const ObjectKey& right) {
      const std::string_view left_text = key_text(left);
      const std::string_view right_text = key_text(right);
      if (left_text.size() != right_text.size()) return left_text.size() < right_text.size();
      const int order = left_text.compare(right_text);
      return order != 0 ? order < 0 : left.offset < right.offset;
    });
    const auto twice = std::adjacent_find(
        begin, keys_.end(),
        [this](const ObjectKey& left, const ObjectKey& right) { return key_text(left) == key_text(right); });
    if (twice != keys_.end())
      cursor_.fail_at((twice + 1)->offset,
                      "key " + in_quotes(key_text(*twice)) + " comes twice in one object");
  }

  void read_array() {
    const std::size_t node = open(JsonKind::array);
    std::size_t size = 0;
    cursor_.skip_blanks();
    if (!cursor_.take(']')) {
      do {
        read_value();
        ++size;
        cursor_.skip_blanks();
      } while (cursor_.take(','));
      cursor_.require(']', "\",\" or \"]\"");
    }
    close(node, size);
  }

  std::size_t open(JsonKind kind) {
    if (depth_ == max_depth) cursor_.fail("nested deeper than " + std::to_string(max_depth) + " levels");
    ++depth_;
    cursor_.advance();
    result_.nodes.push_back({0, 0, 0, kind, false});
    return result_.nodes.size() - 1;
  }

  void close(std::size_t node, std::size_t size) {
    --depth_;
    result_.nodes[node].size = static_cast<std::uint32_t>(size);
    result_.nodes[node].next = static_cast<std::uint32_t>(result_.nodes.size());
  }

  void add_scalar(JsonNode node) {
    node.next = static_cast<std::uint32_t>(result_.nodes.size() + 1);
    result_.nodes.push_back(node);
  }

  JsonCursor cursor_;
  std::size_t depth_ = 0;
  JsonNodes result_;
  std::vector<ObjectKey> keys_;  // keys of all open objects
};

}  // namespace

Document::Document(std::string_view text) : text_(text), nodes_(NodeReader(text).read()) {}

const JsonNode& JsonValue::node() const {
  return document_->nodes_.nodes[index_];
}

std::string_view JsonValue::text() const {
  const JsonNode& own = node();
  if (own.kind >= JsonKind::array) return {};
  const std::string_view all =
      own.unescaped ? std::string_view(document_->nodes_.unescaped) : document_->text_;
  return all.substr(own.at, own.size);
}

std::vector<JsonValue> JsonValue::items() const {
  std::vector<JsonValue> items;
  items.reserve(node().size);
  JsonValue item(*document_, index_ + 1);
  for (std::size_t left = node().size; left > 0; --left, item = item.behind()) items.push_back(item);
  return items;
}

std::vector<JsonMember> JsonValue::members() const {
  std::vector<JsonMember> members;
  members.reserve(node().size);
  JsonValue key(*document_, index_ + 1);
  for (std::size_t left = node().size; left > 0; --left) {
    members.push_back({key.text(), key.behind()});
    key = key.behind().behind();
  }
  return members;
}

std::optional<JsonValue> JsonValue::member(std::string_view key) const {
  for (const JsonMember& member : members())
    if (member.key == key) return member.value;
  return std::nullopt;
}

std::string to_json(JsonValue value) {
  JsonWriter writer(JsonWriter::Format::compact);
  writer.value(value);
  return writer.take();
}

std::string shown(JsonValue value) {
  return cut_for_message(to_json(value));
}

}  // namespace adarun::ranktable
