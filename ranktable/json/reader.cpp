// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/reader.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/utf8.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_keys = 1024;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

// By byte: whether it may stand in a string as it is, without a look at the bytes behind it.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}();

bool is_plain(char byte) {
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

[[noreturn]] void fail_at(std::string_view text, std::size_t offset, const std::string& what) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = offset - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  throw Error("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { result_.nodes.reserve(text.size() / 24); }

  JsonNodes read() {
    if (text_.empty()) fail("the file is empty, wanted a JSON object");
    if (text_.size() > std::numeric_limits<std::uint32_t>::max()) fail("more than 4 GiB");
    if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) at_ = byte_order_mark.size();
    read_value();
    skip_blanks();
    if (at_ != text_.size()) fail_wanting("the end");
    return std::move(result_);
  }

 private:
  struct Key {
    std::size_t node;
    std::size_t offset;
  };

  void read_value();
  void read_object();
  void read_array();
  void read_string();
  void read_rest_of_string(std::size_t start);
  void read_escape();
  char32_t read_unit();
  void read_number();
  void read_digits();
  void read_word(std::string_view word, JsonKind kind);
  void read_key();
  void check_keys(std::size_t first);

  std::size_t open(JsonKind kind);
  void close(std::size_t node, std::size_t size);
  void add_scalar(JsonKind kind, std::size_t start);

  char byte() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char wanted);
  void want(char wanted, const char* name);
  void skip_blanks();
  std::string_view key_text(const Key& key) const;

  [[noreturn]] void fail(const std::string& what) const { fail_at(text_, at_, what); }
  [[noreturn]] void fail_wanting(const std::string& wanted) const {
    fail("found " + found() + ", wanted " + wanted);
  }
  std::string found() const;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  JsonNodes result_;
  std::vector<Key> keys_;  // of all objects that are open
};

void Reader::read_value() {
  skip_blanks();
  switch (byte()) {
    case '{':
      return read_object();
    case '[':
      return read_array();
    case '"':
      return read_string();
    case 't':
      return read_word("true", JsonKind::boolean);
    case 'f':
      return read_word("false", JsonKind::boolean);
    case 'n':
      return read_word("null", JsonKind::null);
    default:
      return read_number();
  }
}

void Reader::read_object() {
  const std::size_t node = open(JsonKind::object);
  const std::size_t first_key = keys_.size();
  skip_blanks();
  if (!take('}')) {
    do {
      read_key();
      if (keys_.size() - first_key > max_keys)
        fail("more than " + std::to_string(max_keys) + " keys in one object");
      skip_blanks();
      want(':', "\":\"");
      read_value();
      skip_blanks();
    } while (take(','));
    want('}', "\",\" or \"}\"");
  }
  close(node, keys_.size() - first_key);
  check_keys(first_key);
  keys_.resize(first_key);
}

void Reader::read_key() {
  skip_blanks();
  if (byte() != '"') fail_wanting("a key in double quotes");
  keys_.push_back({result_.nodes.size(), at_});
  read_string();
}

std::string_view Reader::key_text(const Key& key) const {
  const JsonNode& node = result_.nodes[key.node];
  return (node.unescaped ? std::string_view(result_.unescaped) : text_).substr(node.at, node.size);
}

// Keys from `first` on are those of one object.
void Reader::check_keys(std::size_t first) {
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, keys_.end(), [this](const Key& left, const Key& right) {
    const std::string_view left_text = key_text(left);
    const std::string_view right_text = key_text(right);
    if (left_text.size() != right_text.size()) return left_text.size() < right_text.size();
    const int order = left_text.compare(right_text);
    return order != 0 ? order < 0 : left.offset < right.offset;
  });
  const auto same = [this](const Key& left, const Key& right) { return key_text(left) == key_text(right); };
  const auto twice = std::adjacent_find(begin, keys_.end(), same);
  if (twice != keys_.end())
    fail_at(text_, (twice + 1)->offset, "key " + in_quotes(key_text(*twice)) + " comes twice in one object");
}

void Reader::read_array() {
  const std::size_t node = open(JsonKind::array);
  std::size_t size = 0;
  skip_blanks();
  if (!take(']')) {
    do {
      read_value();
      ++size;
      skip_blanks();
    } while (take(','));
    want(']', "\",\" or \"]\"");
  }
  close(node, size);
}

void Reader::read_string() {
  const std::size_t start = ++at_;
  const auto special =
      std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(start), text_.end(), is_plain);
  at_ = static_cast<std::size_t>(special - text_.begin());
  if (byte() != '"') return read_rest_of_string(start);
  add_scalar(JsonKind::string, start);
  ++at_;
}

// A string that is not plain from `start` to its end.
void Reader::read_rest_of_string(std::size_t start) {
  const std::size_t unescaped_start = result_.unescaped.size();
  result_.unescaped += text_.substr(start, at_ - start);
  while (byte() != '"') {
    if (byte() == '\\') {
      read_escape();
      continue;
    }
    if (is_control(byte())) fail_wanting("the end of the string");
    const base::CodePoint next = base::first_code_point(text_.substr(at_));
    if (!next.valid) {
      at_ += next.size_bytes;
      fail_wanting("UTF-8");
    }
    result_.unescaped += text_.substr(at_, next.size_bytes);
    at_ += next.size_bytes;
  }
  ++at_;
  const auto node = static_cast<std::uint32_t>(result_.nodes.size());
  result_.nodes.push_back({static_cast<std::uint32_t>(unescaped_start),
                           static_cast<std::uint32_t>(result_.unescaped.size() - unescaped_start), node + 1,
                           JsonKind::string, true});
}

void Reader::read_escape() {
  constexpr std::string_view letters = "\"\"\\\\//b\bf\fn\nr\rt\t";  // letter, then its byte
  const std::size_t start = at_++;
  for (std::size_t i = 0; i < letters.size(); i += 2) {
    if (byte() != letters[i]) continue;
    result_.unescaped += letters[i + 1];
    ++at_;
    return;
  }
  if (!take('u')) fail_wanting("an escape");
  char32_t unit = read_unit();
  if (unit >= 0xD800 && unit < 0xDC00 && take('\\') && take('u')) {
    const char32_t low = read_unit();
    unit = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((unit & 0x3FFU) << 10U) + (low & 0x3FFU) : unit;
  }
  if (unit >= 0xD800 && unit < 0xE000) fail_at(text_, start, "found half a surrogate pair, wanted both");
  append_utf8(result_.unescaped, unit);
}

char32_t Reader::read_unit() {
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const int digit = hex_digit(byte());
    if (digit < 0) fail_wanting("four hex digits");
    unit = unit << 4U | static_cast<char32_t>(digit);
  }
  return unit;
}

void Reader::read_number() {
  const std::size_t start = at_;
  if (!take('-') && !is_digit(byte())) fail_wanting("a value");
  if (!take('0')) read_digits();
  if (take('.')) read_digits();
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    read_digits();
  }
  add_scalar(JsonKind::number, start);
}

void Reader::read_digits() {
  if (!is_digit(byte())) fail_wanting("a digit");
  while (is_digit(byte())) ++at_;
}

void Reader::read_word(std::string_view word, JsonKind kind) {
  if (text_.substr(at_, word.size()) != word) fail_wanting("a value");
  const std::size_t start = at_;
  at_ += word.size();
  add_scalar(kind, start);
}

std::size_t Reader::open(JsonKind kind) {
  if (depth_ == max_depth) fail("nested deeper than " + std::to_string(max_depth) + " levels");
  ++depth_;
  ++at_;
  result_.nodes.push_back({0, 0, 0, kind, false});
  return result_.nodes.size() - 1;
}

void Reader::close(std::size_t node, std::size_t size) {
  --depth_;
  result_.nodes[node].size = static_cast<std::uint32_t>(size);
  result_.nodes[node].next = static_cast<std::uint32_t>(result_.nodes.size());
}

void Reader::add_scalar(JsonKind kind, std::size_t start) {
  const auto node = static_cast<std::uint32_t>(result_.nodes.size());
  result_.nodes.push_back(
      {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(at_ - start), node + 1, kind, false});
}

bool Reader::take(char wanted) {
  if (at_ == text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

void Reader::want(char wanted, const char* name) {
  if (!take(wanted)) fail_wanting(name);
}

void Reader::skip_blanks() {
  constexpr std::string_view indentation = "        ";  // which is most of a table's text
  for (; at_ < text_.size(); ++at_) {
    const char next = text_[at_];
    if (next != ' ' && next != '\n' && next != '\t' && next != '\r') return;
    while (text_.size() - at_ > indentation.size() &&
           std::memcmp(text_.data() + at_ + 1, indentation.data(), indentation.size()) == 0)
      at_ += indentation.size();
  }
}

std::string Reader::found() const {
  if (at_ >= text_.size()) return "the end";
  if (byte() > ' ' && byte() < 0x7F) return in_quotes(text_.substr(at_, 1));
  if (byte() == '\0') return "a zero byte";
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "byte 0x%02x", static_cast<unsigned char>(byte()));
  return name.data();
}

}  // namespace

JsonNodes read_nodes(std::string_view text) {
  return Reader(text).read();
}

}  // namespace adarun::ranktable
