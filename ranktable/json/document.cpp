// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/document.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ranktable/json/cursor.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

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

  void read_value();
  void read_object();
  void read_array();
  void read_key();
  void check_keys(std::size_t first);
  std::string_view key_text(const ObjectKey& key) const;

  std::size_t open(JsonKind kind);
  void close(std::size_t node, std::size_t size);
  void add_scalar(JsonKind kind, const ScalarText& text);
  void add_string() {
    const ScalarText text = read_json_string(cursor_, result_.unescaped);
    add_scalar(JsonKind::string, text);
  }

  JsonCursor cursor_;
  std::size_t depth_ = 0;
  JsonNodes result_;
  std::vector<ObjectKey> keys_;  // keys of all open objects
};

void NodeReader::read_value() {
  cursor_.skip_blanks();
  switch (cursor_.byte()) {
    case '{':
      return read_object();
    case '[':
      return read_array();
    case '"':
      return add_string();
    case 't':
      return add_scalar(JsonKind::boolean, read_json_word(cursor_, "true"));
    case 'f':
      return add_scalar(JsonKind::boolean, read_json_word(cursor_, "false"));
    case 'n':
      return add_scalar(JsonKind::null, read_json_word(cursor_, "null"));
    default:
      return add_scalar(JsonKind::number, read_json_number(cursor_));
  }
}

void NodeReader::read_object() {
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

void NodeReader::read_key() {
  cursor_.skip_blanks();
  if (cursor_.byte() != '"') cursor_.fail_wanting("a key in double quotes");
  keys_.push_back({result_.nodes.size(), cursor_.offset()});
  add_string();
}

std::string_view NodeReader::key_text(const ObjectKey& key) const {
  const JsonNode& node = result_.nodes[key.node];
  return (node.unescaped ? std::string_view(result_.unescaped) : cursor_.text()).substr(node.at, node.size);
}

// Checks the keys of one object, those from `first` on, for repeats.
void NodeReader::check_keys(std::size_t first) {
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, keys_.end(), [this](const ObjectKey& left, const ObjectKey& right) {
    const std::string_view left_text = key_text(left);
    const std::string_view right_text = key_text(right);
    if (left_text.size() != right_text.size()) return left_text.size() < right_text.size();
    const int order = left_text.compare(right_text);
    return order != 0 ? order < 0 : left.offset < right.offset;
  });
  const auto same = [this](const ObjectKey& left, const ObjectKey& right) {
    return key_text(left) == key_text(right);
  };
  const auto twice = std::adjacent_find(begin, keys_.end(), same);
  if (twice == keys_.end()) return;
  cursor_.fail_at((twice + 1)->offset, "key " + in_quotes(key_text(*twice)) + " comes twice in one object");
}

void NodeReader::read_array() {
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

std::size_t NodeReader::open(JsonKind kind) {
  if (depth_ == max_depth) cursor_.fail("nested deeper than " + std::to_string(max_depth) + " levels");
  ++depth_;
  cursor_.advance();
  result_.nodes.push_back({0, 0, 0, kind, false});
  return result_.nodes.size() - 1;
}

void NodeReader::close(std::size_t node, std::size_t size) {
  --depth_;
  result_.nodes[node].size = static_cast<std::uint32_t>(size);
  result_.nodes[node].next = static_cast<std::uint32_t>(result_.nodes.size());
}

void NodeReader::add_scalar(JsonKind kind, const ScalarText& text) {
  const auto next = static_cast<std::uint32_t>(result_.nodes.size() + 1);
  result_.nodes.push_back({text.at, text.size, next, kind, text.unescaped});
}

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
