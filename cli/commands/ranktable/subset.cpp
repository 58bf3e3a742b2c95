// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/arguments/option_values.h"
#include "cli/commands/ranktable/ranktable.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/server_name.h"
#include "ranktable/operations/device_range.h"
#include "ranktable/operations/subset.h"
#include "ranktable/parse.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

constexpr const char* subset_examples = R"(
Ranks are numbered anew from 0, in the order they have. The schema stays; super pods and groups without a
server go. With both options: those devices on each of those nodes. A node or device that the table does not
have is refused.

Examples:
  adarun ranktable subset hccl_4s_32p.json --nodes node[1-2] -o two_nodes.json
  adarun ranktable subset hccl_4s_32p.json --nodes 10.0.0.2,10.0.0.10
  adarun ranktable subset hccl_4s_32p.json --nodes @healthy.txt --devices 0-3

Exit status: 0 done, 2 wrong usage, 3 could not do it.)";

struct SubsetOptions {
  std::string file;
  std::string nodes;
  std::string devices;
  TableOutput output = {"-"};
};

// Whether the list was typed, not read from a file. A typed count such as "node1:8" could be mistaken for a
// selection of devices, so it is refused; in files, counts are allowed.
bool is_typed(const std::string& list) {
  return list.find_first_of("@/") == std::string::npos && !std::filesystem::exists(list);
}

std::vector<std::string> server_ids(const std::string& list) {
  std::vector<std::string> ids;
  if (list.empty()) return ids;
  for (const launcher::Host& host : launcher::read_hosts(list, "--nodes")) {
    if (host.counted && is_typed(list))
      throw launcher::Error("--nodes: " + host.name +
                            ": wanted names without a count: --devices chooses devices");
    ids.emplace_back(ranktable::trimmed(host.name));
  }
  return ids;
}

ranktable::Selection selection(const SubsetOptions& options) {
  if (options.nodes.empty() && options.devices.empty())
    throw ExitError(exit_usage, "ranktable subset: nothing is selected: give --nodes, --devices or both");
  const auto wanted = [&options] {
    ranktable::Selection selected{server_ids(options.nodes), {}};
    if (!options.devices.empty())
      selected.device_ids = ranktable::parse_device_list(options.devices, "--devices");
    return selected;
  };
  return or_exit<std::runtime_error>(exit_usage, wanted, "ranktable subset: ");
}

// The groups of a server_group table that lose all their devices are taken out.
std::vector<std::string> lines_of_groups(const ranktable::AnyTable& before,
                                         const ranktable::AnyTable& after) {
  const auto* groups = std::get_if<ranktable::ServerGroupTable>(&before);
  if (groups == nullptr) return {};
  std::vector<std::string> ids = emptied_groups(*groups, std::get<ranktable::ServerGroupTable>(after));
  if (ids.empty()) return {};
  return {"group " + ranktable::printable(ids.front()) + " has no devices left, and is taken out" +
          (ids.size() > 1 ? " (and " + std::to_string(ids.size() - 1) + " more)" : "")};
}

void run_subset(const SubsetOptions& options) {
  const ranktable::Selection wanted = selection(options);
  const ranktable::AnyTable table = ranktable::read_any(options.file);
  const ranktable::AnyTable kept = about(options.file, [&] { return ranktable::subset(table, wanted); });
  print_warnings(lines_of_groups(table, kept), options.output);
  deliver_table(ranktable::write(kept), options.output.file, options.output);
}

}  // namespace

void add_ranktable_subset(CLI::App& group, Invocation&) {
  const auto options = std::make_shared<SubsetOptions>();
  CLI::App* command = group.add_subcommand("subset", "Keep some nodes or devices of a rank table");
  command->add_option("file", options->file, "A rank table of any schema")->required()->type_name("FILE");
  add_text(*command, "--nodes", options->nodes, "LIST",
           "server_ids to keep: node[1-3],gpu9, or @FILE with one a line");
  add_text(*command, "--devices", options->devices, "LIST", "device_ids to keep on each node: 0-3,6");
  add_text(*command, "-o,--output", options->output.file, "FILE",
           "Where to write the table (default: -, which is stdout)");
  command->add_flag("-q,--quiet", options->output.quiet, "Do not print the name of the file");
  command->footer(subset_examples);
  command->callback([options] { run_subset(*options); });
}

}  // namespace adarun::cli
