// SPDX-License-Identifier: Apache-2.0
#include "ranktable/json/document.h"

#include "ranktable/json/writer.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {

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
