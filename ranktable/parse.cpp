// SPDX-License-Identifier: Apache-2.0
#include "ranktable/parse.h"

#include <optional>

#include "ranktable/json/document.h"
#include "ranktable/model/error.h"
#include "ranktable/model/read_start.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_json{"must be JSON", "EI0004", "correct the text at that line and column"};
constexpr Rule has_size{"the text must have at most 40 MiB, or 256 MiB of version 2.0", "EI0004",
                        "write it without indentation, or take out fields that HCCL does not read"};
constexpr Rule is_object{"must be an object", "EI0004", "write the table as one object, in { }"};
constexpr Rule has_version{"must be there", "EI0017", "write \"version\": \"1.0\", or that of the schema"};
constexpr Rule knows_version{"must be \"1.0\", \"1.2\" or \"2.0\"", "EI0014",
                             "write the version of the schema that the table follows"};

// Searches the text itself, because parsing a large text only to refuse it would take much memory.
bool is_small_enough(std::string_view text) {
  if (text.size() <= max_text_bytes) return true;
  return text.size() <= max_rank_list_text_bytes && text.find("\"rank_list\"") != std::string_view::npos;
}

ExaminedAny refused(std::string path, const Rule& rule, std::string found) {
  ExaminedAny examined;
  report(examined.findings, rule, std::move(path), std::move(found));
  return examined;
}

// A server_group table may have a version, which is not that of another schema.
const SchemaEntry* schema_matching(JsonValue root) {
  const SchemaEntry& server_group = entry_of(Schema::server_group);
  if (server_group.matches(root)) return &server_group;
  for (const SchemaEntry& entry : schemas())
    if (entry.matches(root)) return &entry;
  return nullptr;
}

ExaminedAny examine_root(JsonValue root, const std::string& name) {
  if (!root.is(JsonKind::object)) return refused("$", is_object, shown(root));
  if (const SchemaEntry* entry = schema_matching(root)) {
    ExaminedAny examined;
    examined.table = entry->parse(root, examined.findings);
    return examined;
  }
  const std::optional<JsonValue> version = root.member("version");
  if (!version) return refused("$.version", has_version, "");
  if (version->is_text("1.1"))
    throw Error(name +
                ": $.version: found \"1.1\", a heterogeneous table, which is not read, wanted "
                "\"1.0\", \"1.2\" or \"2.0\"");
  return refused("$.version", knows_version, shown(*version));
}

}  // namespace

ExaminedAny examine_any(std::string_view text, const std::string& name) {
  if (!is_small_enough(text)) return refused("$", has_size, "a larger one");
  std::optional<Document> document;
  try {
    document.emplace(text);
  } catch (const Error& error) {
    return refused("$", is_json, error.what());
  }
  return examine_root(document->root(), name);
}

AnyTable parse_any(std::string_view text, const std::string& name) {
  ExaminedAny examined = examine_any(text, name);
  require_valid(examined.findings, name);
  return std::move(examined.table);
}

std::string read_text(const std::filesystem::path& path) {
  return read_start(path, max_rank_list_text_bytes + 1);
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
