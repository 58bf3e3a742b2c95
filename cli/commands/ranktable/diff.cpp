// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/ranktable/ranktable.h"
#include "cli/console/print.h"
#include "ranktable/model/server_name.h"
#include "ranktable/operations/diff.h"
#include "ranktable/parse.h"

namespace adarun::cli {
namespace {

using Json = nlohmann::ordered_json;
using ranktable::DeviceChange;
using ranktable::Row;

constexpr const char* diff_examples = R"(
Compares what a job would notice: which device of which server is which rank, card addresses, super pods,
status; of two server_group tables also groups, and the addresses of servers in them. Schema, order of servers in
the file, counts and fields of other tools do not matter; a device is known by its server_id and device_id.

Examples:
  adarun ranktable diff hccl_2s_16p.json new.json
  adarun ranktable diff -q hccl_2s_16p.json job.json && echo the same ranks
  adarun ranktable diff --json old.json new.json | jq '.moved[].rank'

Exit status: 0 the same, 1 different, 2 wrong usage, 3 could not do it.)";

struct DiffOptions {
  std::string before;
  std::string after;
  bool json = false;
  bool quiet = false;
};

std::string range(const std::string& thing, int first, int last) {
  if (first == last) return thing + " " + std::to_string(first);
  return thing + "s " + std::to_string(first) + "-" + std::to_string(last);
}

std::string quoted(const std::string& text) {
  return text.empty() ? "none" : ranktable::printable(text);
}

bool follows(const Row& row, const Row& before) {
  return row.server_id == before.server_id && row.device_id == before.device_id + 1 &&
         row.rank == before.rank + 1;
}

bool follows(const DeviceChange& change, const DeviceChange& before) {
  return follows(change.after, before.after) && change.before.rank == before.before.rank + 1;
}

// Calls `line(first, last)` for each run of consecutive items.
template <typename Item, typename Line>
std::string by_runs(const std::vector<Item>& items, Line line) {
  std::string text;
  for (std::size_t first = 0; first < items.size();) {
    std::size_t last = first;
    while (last + 1 < items.size() && follows(items[last + 1], items[last])) ++last;
    text += line(items[first], items[last]) + "\n";
    first = last + 1;
  }
  return text;
}

std::string devices(const Row& first, const Row& last) {
  return ranktable::printable(first.server_id) + " " + range("device", first.device_id, last.device_id);
}

std::string place(const Row& row) {
  return "rank " + std::to_string(row.rank) + " (" + devices(row, row) + "): ";
}

std::string diff_text(const ranktable::Diff& diff) {
  const auto listed = [](const std::string& what) {
    return [what](const Row& first, const Row& last) {
      return what + ": " + range("rank", first.rank, last.rank) + " (" + devices(first, last) + ")";
    };
  };
  std::string text = by_runs(diff.removed, listed("removed")) + by_runs(diff.added, listed("added"));
  text += by_runs(diff.moved, [](const DeviceChange& first, const DeviceChange& last) {
    return "moved: " + range("rank", first.before.rank, last.before.rank) + " -> " +
           range("rank", first.after.rank, last.after.rank) + " (" + devices(first.after, last.after) + ")";
  });
  for (const DeviceChange& change : diff.address_changed)
    text += "address: " + place(change.after) + quoted(change.before.device_ip) + " -> " +
            quoted(change.after.device_ip) + "\n";
  for (const DeviceChange& change : diff.super_device_changed)
    text += "super device: " + place(change.after) + quoted(change.before.super_device_id) + " -> " +
            quoted(change.after.super_device_id) + "\n";
  for (const DeviceChange& change : diff.pod_changed)
    text += "super pod: " + ranktable::printable(change.after.server_id) + ": " +
            quoted(change.before.super_pod_id) + " -> " + quoted(change.after.super_pod_id) + "\n";
  for (const ranktable::GroupChange& change : diff.group_changed)
    text += "group: " + place(change.after) + ranktable::printable(change.group_before) + " -> " +
            ranktable::printable(change.group_after) + "\n";
  for (const ranktable::GroupFieldChange& change : diff.group_fields)
    text += "group " + ranktable::printable(change.group_id) +
            (change.server_id.empty() ? "" : ", " + ranktable::printable(change.server_id)) + ": " +
            change.field + ": " + quoted(change.before) + " -> " + quoted(change.after) + "\n";
  for (const auto& [before, after] : diff.status)
    text += "status: " + ranktable::printable(before) + " -> " + ranktable::printable(after) + "\n";
  return text;
}

Json place_json(const Row& row) {
  return {{"rank", row.rank}, {"server_id", row.server_id}, {"device_id", row.device_id}};
}

template <typename Value>
Json changes_json(const std::vector<DeviceChange>& changes, Value Row::*value) {
  Json list = Json::array();
  for (const DeviceChange& change : changes) {
    Json item = place_json(change.after);
    item["before"] = change.before.*value;
    item["after"] = change.after.*value;
    list.push_back(std::move(item));
  }
  return list;
}

Json rows_json(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(place_json(row));
  return list;
}

Json diff_json(const ranktable::Diff& diff) {
  Json pods = Json::array();
  for (const DeviceChange& change : diff.pod_changed)
    pods.push_back({{"server_id", change.after.server_id},
                    {"before", change.before.super_pod_id},
                    {"after", change.after.super_pod_id}});
  Json json = {{"same", is_same(diff)},
               {"removed", rows_json(diff.removed)},
               {"added", rows_json(diff.added)},
               {"moved", changes_json(diff.moved, &Row::rank)},
               {"addresses", changes_json(diff.address_changed, &Row::device_ip)},
               {"super_devices", changes_json(diff.super_device_changed, &Row::super_device_id)},
               {"super_pods", std::move(pods)}};
  for (const ranktable::GroupChange& change : diff.group_changed) {
    Json item = place_json(change.after);
    item["before"] = change.group_before;
    item["after"] = change.group_after;
    json["groups"].push_back(std::move(item));
  }
  for (const ranktable::GroupFieldChange& change : diff.group_fields)
    json["group_fields"].push_back({{"group_id", change.group_id},
                                    {"server_id", change.server_id},
                                    {"field", change.field},
                                    {"before", change.before},
                                    {"after", change.after}});
  for (const auto& [before, after] : diff.status) json["status"] = {{"before", before}, {"after", after}};
  return json;
}

// A table and its ranks.
struct ComparedTable {
  ranktable::AnyTable table;
  ranktable::Table ranks;

  const auto* groups() const { return std::get_if<ranktable::ServerGroupTable>(&table); }
};

ComparedTable compared(const std::string& file) {
  ComparedTable read{ranktable::read_any(file), {}};
  read.ranks = about(file, [&read] { return ranktable::ranks_of(read.table); });
  return read;
}

ranktable::Diff difference(const ComparedTable& before, const ComparedTable& after) {
  if (before.groups() != nullptr && after.groups() != nullptr)
    return ranktable::diff(*before.groups(), *after.groups());
  return ranktable::diff(before.ranks, after.ranks);
}

int run_diff(const DiffOptions& options) {
  const ranktable::Diff diff = difference(compared(options.before), compared(options.after));
  if (options.json)
    print_all(json_text(diff_json(diff)));
  else if (!options.quiet)
    print_all(is_same(diff) ? "the same\n" : diff_text(diff));
  return is_same(diff) ? exit_done : exit_no;
}

}  // namespace

void add_ranktable_diff(CLI::App& group, Invocation& invocation) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command = group.add_subcommand("diff", "Compare two rank tables by their ranks");
  command->add_option("before", options->before, "A rank table of any schema")->required()->type_name("FILE");
  command->add_option("after", options->after, "Another")->required()->type_name("FILE");
  CLI::Option* json = command->add_flag("--json", options->json, "Print a JSON object");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing; the exit status is the answer")
      ->excludes(json);
  command->footer(diff_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_diff(*options); });
}

}  // namespace adarun::cli
