// SPDX-License-Identifier: Apache-2.0
#include "ranktable/parse.h"

#include <optional>

#include "ranktable/convert.h"
#include "ranktable/error.h"
#include "ranktable/json/document.h"
#include "ranktable/rules/rule.h"
#include "ranktable/schema/parsers.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_json{"must be JSON", "EI0004", "correct the text at that line and column"};
constexpr Rule has_size{"the text must have at most 40 MiB, or 256 MiB of version 2.0", "EI0004",
                        "write it without indentation, or take out fields that HCCL does not read"};
constexpr Rule is_object{"must be an object", "EI0004", "write the table as one object, in { }"};
constexpr Rule has_version{"must be there", "EI0017", "write \"version\": \"1.0\", or that of the schema"};
constexpr Rule knows_version{"must be \"1.0\", \"1.2\" or \"2.0\"", "EI0014",
                             "write the version of the schema that the table follows"};

// Looks into the text itself: a tree of a large one that is refused anyway would take much memory.
bool is_small_enough(std::string_view text) {
  if (text.size() <= max_text_bytes) return true;
  return text.size() <= max_rank_list_text_bytes && text.find("\"rank_list\"") != std::string_view::npos;
}

ExaminedAny nothing(std::string path, const Rule& rule, std::string found) {
  ExaminedAny examined;
  report(examined.findings, rule, std::move(path), std::move(found));
  return examined;
}

template <typename SomeTable>
ExaminedAny parsed(SomeTable (*parse_schema)(JsonValue, std::vector<Finding>&), JsonValue root) {
  std::vector<Finding> findings;
  AnyTable table = parse_schema(root, findings);
  return {std::move(table), std::move(findings)};
}

std::optional<JsonValue> member(JsonValue object, std::string_view key) {
  for (const JsonMember& member : object.members())
    if (member.key == key) return member.value;
  return std::nullopt;
}

ExaminedAny examine_root(JsonValue root, const std::string& name) {
  if (!root.is(JsonKind::object)) return nothing("$", is_object, shown(root));
  const std::optional<JsonValue> version = member(root, "version");
  if (!version) {
    if (!member(root, "group_list")) return nothing("$.version", has_version, "");
    return member(root, "deploy_mode") ? parsed(parse_lab, root) : parsed(parse_cloud, root);
  }
  if (version->is_text("1.0") || version->is_text("1.2")) return parsed(parse_v1, root);
  if (version->is_text("2.0")) return parsed(parse_rank_list, root);
  if (version->is_text("1.1"))
    throw Error(name +
                ": $.version: found \"1.1\", a heterogeneous table, which is not read, wanted "
                "\"1.0\", \"1.2\" or \"2.0\"");
  return nothing("$.version", knows_version, shown(*version));
}

// What is wrong with the form of a table that must have none of it.
void require_none(const std::vector<Finding>& findings, const std::string& name) {
  if (findings.empty()) return;
  std::string message = name + ": " + describe(findings.front());
  if (findings.size() > 1) message += " (and " + std::to_string(findings.size() - 1) + " more)";
  throw Error(message);
}

}  // namespace

ExaminedAny examine_any(std::string_view text, const std::string& name) {
  if (!is_small_enough(text)) return nothing("$", has_size, "a larger one");
  std::optional<Document> document;
  try {
    document.emplace(text);
  } catch (const Error& error) {
    return nothing("$", is_json, error.what());
  }
  return examine_root(document->root(), name);
}

Examined examine(std::string_view text, const std::string& name) {
  ExaminedAny examined = examine_any(text, name);
  if (Table* table = std::get_if<Table>(&examined.table))
    return {std::move(*table), std::move(examined.findings)};
  throw Error(name + ": a table of schema " + std::string(ranktable::name(schema_of(examined.table))) +
              ", wanted version 1.0 or 1.2: adarun ranktable convert --to 1.0");
}

AnyTable parse_any(std::string_view text, const std::string& name) {
  ExaminedAny examined = examine_any(text, name);
  require_none(examined.findings, name);
  return std::move(examined.table);
}

AnyTable read_any(const std::filesystem::path& path) {
  return parse_any(read_text(path), path.string());
}

Table parse(std::string_view text, const std::string& name) {
  AnyTable table = parse_any(text, name);
  if (Table* v1 = std::get_if<Table>(&table)) return std::move(*v1);
  try {
    return ranks_of(table);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

Table read(const std::filesystem::path& path) {
  return parse(read_text(path), path.string());
}

}  // namespace adarun::ranktable
