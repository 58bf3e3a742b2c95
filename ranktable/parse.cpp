// SPDX-License-Identifier: Apache-2.0
#include "ranktable/parse.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "base/foreign_text.h"
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

ExaminedAny refused_as(const base::FileKind& kind) {
  return refused("$", {"must be a rank table", "EI0004", kind.advice}, std::string(kind.name));
}

// A kind of JSON that is no rank table: its object has one of two members, or both.
struct RootKind {
  std::string_view member;
  std::string_view other_member;
  bool needs_both;
  base::FileKind kind;
};

constexpr base::FileKind rootinfo{
    "the hccl_rootinfo.json of one node, without ranks",
    "HCCL reads it by itself; for -r take the table of the job, which has a rank_id for each device"};

constexpr std::array root_kinds{
    RootKind{
        "prefill_device_list",
        "decode_device_list",
        false,
        {"a prefill_device_list and decode_device_list, the table of vllm-ascend's LLMDataDist, which "
         "adarun does not read",
         "make a table of the same servers: adarun ranktable gen --hosts LIST --role prefill=RANKS --role "
         "decode=RANKS"}},
    RootKind{"apiVersion",
             "kind",
             true,
             {"an object of Kubernetes",
              "its table, of a ConfigMap: kubectl get configmap NAME -o jsonpath='{.data.hccl\\.json}' > "
              "hccl.json"}},
    RootKind{"peer_list",
             "edge_list",
             true,
             {"a topology file of the NPU driver", "take the table of the job, which HCCL reads beside it"}},
    RootKind{"pod_name",
             "devices",
             true,
             {"the annotation of one pod", "take the table that the operator makes of all pods: hccl.json"}},
};

constexpr base::FileKind switch_table{
    "cards with the switches that they are on (tor_ip), without ranks, as in ranktable_tor.json",
    "take the table of the job, which has a rank_id for each device"};

constexpr base::FileKind oxc_table{"a table of optical switches (oxc_group_list), which adarun does not read",
                                   "make a table of the same servers: adarun ranktable gen --hosts LIST"};

constexpr base::FileKind other_json{
    "JSON without server_list, rank_list or group_list",
    "take the table of the job, or make one: adarun ranktable gen --hosts LIST"};

std::vector<JsonValue> items_of(JsonValue object, std::string_view list) {
  const std::optional<JsonValue> found = object.is(JsonKind::object) ? object.member(list) : std::nullopt;
  return found && found->is(JsonKind::array) ? found->items() : std::vector<JsonValue>();
}

// Whether there are cards, and each has this member instead of a rank.
bool are_without_ranks(const std::vector<JsonValue>& cards, std::string_view member) {
  return !cards.empty() && std::ranges::all_of(cards, [member](JsonValue card) {
    return card.is(JsonKind::object) && card.member(member) && !card.member("rank_id");
  });
}

// Also where it has no card, and says so by an empty list.
bool is_rootinfo(JsonValue root) {
  const std::optional<JsonValue> list = root.member("rank_list");
  const bool is_empty = list && list->is(JsonKind::array) && list->items().empty();
  return (is_empty && root.member("topo_file_path")) ||
         are_without_ranks(items_of(root, "rank_list"), "local_id");
}

bool is_switch_table(JsonValue root) {
  const std::vector<JsonValue> servers = items_of(root, "server_list");
  return !servers.empty() && std::ranges::all_of(servers, [](JsonValue server) {
    return are_without_ranks(items_of(server, "device"), "tor_ip");
  });
}

bool has_any(JsonValue root, std::initializer_list<std::string_view> members) {
  return std::ranges::any_of(members,
                             [root](std::string_view each) { return root.member(each).has_value(); });
}

std::optional<base::FileKind> kind_of(JsonValue root) {
  for (const RootKind& each : root_kinds) {
    const bool has_first = root.member(each.member).has_value();
    const bool has_second = root.member(each.other_member).has_value();
    if (each.needs_both ? has_first && has_second : has_first || has_second) return each.kind;
  }
  if (is_rootinfo(root)) return rootinfo;
  if (is_switch_table(root)) return switch_table;
  if (root.member("oxc_group_list") && !root.member("rank_list")) return oxc_table;
  return std::nullopt;
}

// Files that name hosts, which are no JSON: a hostfile, an inventory of Ansible.
bool names_hosts(std::string_view text) {
  const std::string_view start = text.substr(0, std::size_t{64} << 10U);
  const std::string_view line = start.substr(0, start.find('\n'));
  const bool is_section = line.size() > 2 && line.front() == '[' &&
                          line.find(']') != std::string_view::npos &&
                          line.find_first_of("\",{:") == std::string_view::npos;
  return is_section || start.find(" slots=") != std::string_view::npos ||
         start.find("ansible_") != std::string_view::npos ||
         start.find(" hosts:\n") != std::string_view::npos;
}

// A text that is no JSON. One that begins as JSON is not taken for a file of another kind.
ExaminedAny refused_text(std::string_view text, const std::string& why) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '"'))
    return refused("$", is_json, why);
  if (const auto kind = base::text_kind(text)) return refused_as(*kind);
  if (names_hosts(text)) return refused_as({"a list of hosts", "give it as --hosts FILE"});
  return refused("$", is_json, why);
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
  if (const auto kind = kind_of(root)) return refused_as(*kind);
  if (const SchemaEntry* entry = schema_matching(root)) {
    ExaminedAny examined;
    examined.table = entry->parse(root, examined.findings);
    return examined;
  }
  const std::optional<JsonValue> version = root.member("version");
  if (version && version->is_text("1.1"))
    throw Error(name +
                ": $.version: found \"1.1\", a heterogeneous table, which is not read, wanted "
                "\"1.0\", \"1.2\" or \"2.0\"");
  if (!has_any(root, {"server_list", "rank_list", "group_list"})) return refused_as(other_json);
  if (!version) return refused("$.version", has_version, "");
  return refused("$.version", knows_version, shown(*version));
}

}  // namespace

ExaminedAny examine_any(std::string_view text, const std::string& name) {
  if (!is_small_enough(text)) return refused("$", has_size, "a larger one");
  if (const auto kind = base::binary_kind(text)) return refused_as(*kind);
  std::optional<Document> document;
  try {
    document.emplace(text);
  } catch (const Error& error) {
    return refused_text(text, error.what());
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
