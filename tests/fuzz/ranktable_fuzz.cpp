// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/json/field_reader.h"
#include "ranktable/json/writer.h"
#include "ranktable/model/address.h"
#include "ranktable/model/error.h"
#include "ranktable/model/server_name.h"
#include "ranktable/operations/convert.h"
#include "ranktable/operations/device_range.h"
#include "ranktable/operations/diff.h"
#include "ranktable/operations/hccn.h"
#include "ranktable/operations/merge.h"
#include "ranktable/operations/subset.h"
#include "ranktable/parse.h"
#include "ranktable/schemas/schemas.h"
#include "ranktable/validate.h"
#include "ranktable/write.h"
#include "tests/fuzz/fuzz.h"
#include "tests/ranktable/round_trip.h"

namespace rt = adarun::ranktable;

namespace {

bool is_ours_alone(std::string_view message) {
  for (const char* rule : {"comes twice", "nested deeper", "keys in one object"})
    if (message.find(rule) != std::string_view::npos) return true;
  return false;
}

// nlohmann's reader treats a zero byte as the end of the text.
bool nlohmann_takes(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

bool is_beyond_double(std::string_view text) {
  try {
    return nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  }
}

// Any bytes are JSON or an Error, and nlohmann's reader agrees, with known exceptions: ours refuses duplicate
// keys, deep nesting and large objects, nlohmann's refuses numbers beyond double.
void fuzz_document(std::string_view text) {
  try {
    const rt::Document document(text);
    demand(nlohmann_takes(text) || is_beyond_double(text));
    const std::string compact = rt::to_json(document.root());
    demand(rt::to_json(rt::Document(compact).root()) == compact);
    demand(is_beyond_double(text) || nlohmann::json::parse(compact) == nlohmann::json::parse(text));
  } catch (const rt::Error& error) {
    demand(!nlohmann_takes(text) || is_ours_alone(error.what()));
  }
}

// Any bytes are a table of some schema or an Error; a table that was read can be written and read again.
void fuzz_rank_table(std::string_view text) {
  try {
    const rt::AnyTable table = rt::without_counts(rt::parse_any(text, "fuzz"));
    demand(rt::parse_any(rt::write(table), "written") == table);
    const rt::Table ranks = rt::parse(text, "fuzz");
    if (rt::is_valid(rt::validate_text(text, "fuzz").findings))
      for (const rt::Server& server : ranks.servers) demand(rt::is_server_name(server.server_id));
  } catch (const rt::Error&) {
  }
}

void convert_or_refuse(const rt::AnyTable& table, rt::Schema to) {
  try {
    const rt::AnyTable result = rt::convert(table, to).table;
    demand(rt::schema_of(result) == to);
    const rt::Diff diff = rt::diff(rt::ranks_of(table), rt::ranks_of(result));
    demand(diff.removed.empty() && diff.added.empty() && diff.moved.empty() && diff.address_changed.empty());
    if (rt::schema_of(table) != to) demand(rt::parse_any(rt::write(result), "result") == result);
  } catch (const rt::Error&) {
  }
}

// Any table is converted to each schema with every card at its rank, or refused; a converted table is written
// and read back unchanged. A subset of everything is the table with its ranks renumbered without gaps.
void fuzz_conversion(std::string_view bytes) {
  try {
    const rt::AnyTable table = rt::parse_any(bytes, "fuzz");
    for (const rt::Schema to : {rt::Schema::v1_0, rt::Schema::v1_2, rt::Schema::v2_0, rt::Schema::cloud,
                                rt::Schema::lab, rt::Schema::server_group})
      convert_or_refuse(table, to);
    const rt::Table all = rt::ranks_of(rt::subset(table, {}));
    demand(rt::device_count(all) == rt::device_count(rt::ranks_of(table)));
  } catch (const rt::Error&) {
  }
}

// Any text is a range that is written in the form it is read, or an Error.
void fuzz_device_range(std::string_view text) {
  try {
    const rt::DeviceRange range = rt::parse_device_range(text).range;
    demand(range.first >= 0 && range.count() >= 1 && range.end <= rt::max_server_devices);
    demand(rt::parse_device_range(rt::to_string(range)).range == range);
  } catch (const rt::Error&) {
  }
}

// Any text is a list of different ids, or an Error.
void fuzz_visible_devices(std::string_view text) {
  try {
    const std::vector<int> ids = rt::parse_visible_devices(text);
    const std::set<int> different(ids.begin(), ids.end());
    demand(!ids.empty() && different.size() == ids.size() && *different.begin() >= 0);
  } catch (const rt::Error&) {
  }
}

// Of two server ids, separated by a blank, at most one comes before the other.
void fuzz_server_order(std::string_view text) {
  const std::string_view left = text.substr(0, text.find(' '));
  const std::string_view right = text.substr(left.size());
  demand(!rt::numeric_less(left, right) || !rt::numeric_less(right, left));
}

void require_canonical(const rt::HccnConf& conf, int card) {
  try {
    const std::string address = rt::card_address(conf, card);
    demand(rt::canonical(rt::parse_address(address).value()) == address);
  } catch (const rt::Error&) {
  }
}

// Any text gives the addresses of cards, each an address or an Error, or an Error for all.
void fuzz_hccn_conf(std::string_view text) {
  try {
    const rt::HccnConf conf = rt::parse_hccn_conf(text, "fuzz");
    for (const auto* addresses : {&conf.ipv4, &conf.ipv6})
      for (const auto& [card, address] : *addresses) require_canonical(conf, card);
  } catch (const rt::Error&) {
  }
}

// Any text gives an address, no address, no output, or an Error.
void fuzz_hccn_tool(std::string_view text) {
  try {
    const rt::ToolAnswer answer = rt::parse_hccn_tool(text, 0);
    if (answer.kind != rt::ToolAnswer::Kind::address) return;
    demand(rt::canonical(rt::parse_address(answer.address).value()) == answer.address);
  } catch (const rt::Error&) {
  }
}

// Whatever JSON the bytes are, a table of one schema is read from it or what is wrong is reported; a table is
// written so that it is read back unchanged. No field selects the schema here.
template <typename SomeTable>
void fuzz_schema(std::string_view text) {
  const auto read = [](rt::JsonValue root, rt::Findings& findings) {
    return rt::FieldReader::read<SomeTable>(root, rt::Path(), findings);
  };
  try {
    rt::Findings findings;
    SomeTable table = read(rt::Document(text).root(), findings);
    if (!findings.empty()) return;
    rt::ForgetCounts{}(table);
    rt::JsonWriter out(rt::JsonWriter::Format::reference);
    out.record(table);
    const std::string written = out.take();
    demand(read(rt::Document(written).root(), findings) == table && findings.empty());
  } catch (const rt::Error&) {
  }
}

const FuzzTargets ranktable_targets{
    {"document", fuzz_document},
    {"rank_table", fuzz_rank_table},
    {"conversion", fuzz_conversion},
    {"device_range", fuzz_device_range},
    {"visible_devices", fuzz_visible_devices},
    {"server_order", fuzz_server_order},
    {"hccn_conf", fuzz_hccn_conf},
    {"hccn_tool", fuzz_hccn_tool},
    {"table_cloud", fuzz_schema<rt::CloudTable>},
    {"table_lab", fuzz_schema<rt::LabTable>},
    {"table_rank_list", fuzz_schema<rt::RankListTable>},
    {"table_server_group", fuzz_schema<rt::ServerGroupTable>},
    {"table_v1", fuzz_schema<rt::Table>},
};

}  // namespace
