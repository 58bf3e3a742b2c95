// SPDX-License-Identifier: Apache-2.0
#include "cli/options/placement.h"

#include <utility>

#include "cli/options/command.h"
#include "launcher/base/error.h"
#include "launcher/hosts/map.h"
#include "launcher/plan/plan.h"
#include "ranktable/convert.h"
#include "ranktable/model/error.h"
#include "ranktable/parse.h"
#include "ranktable/rules/adasum_rule.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

std::vector<std::vector<std::string>> addresses_of(const std::vector<launcher::Host>& list,
                                                   const NodeOptions& options) {
  std::vector<std::vector<std::string>> addresses;
  for (const launcher::SshPlace& place : places_of(list, options)) addresses.push_back(place.addresses);
  return addresses;
}

std::vector<launcher::Host> hosts_of_table(const LaunchOptions& options, const ranktable::Table& table,
                                           const std::vector<launcher::Host>& list) {
  try {
    launcher::HostMap map;
    if (!options.map_file.empty()) map = launcher::read_host_map(options.map_file);
    if (!has_hosts(options)) return launcher::hosts_of(table, map);
    if (options.via != Via::local && !launcher::names_all(list, table, map))
      map = launcher::with_addresses(std::move(map), table, list, addresses_of(list, options));
    return launcher::hosts_for(table, list, map);
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

std::string table_text(const LaunchOptions& options) {
  std::string text;
  try {
    text = ranktable::read_text(options.table_file);
  } catch (const ranktable::Error& error) {
    throw Quit(exit_usage, error.what());
  }
  if (text.size() > ranktable::max_text_bytes)  // The limit of a frame to a node.
    throw Quit(exit_no, options.table_file + ": larger than 40 MiB, the most that is handed to nodes");
  return text;
}

ranktable::Table table_of(const std::string& text, const std::string& name) {
  try {
    const ranktable::ValidationReport report = ranktable::validate_text(text, name);
    ranktable::require_valid(report.findings, name);
    return ranktable::ranks_of(report.table);
  } catch (const ranktable::Error& error) {
    const std::string words = error.what();
    throw Quit(exit_no, words.rfind(name, 0) == 0 ? words : name + ": " + words);
  }
}

}  // namespace

JobPlacement place(const LaunchOptions& options) {
  if (options.table_file.empty() && !has_hosts(options))
    throw Quit(exit_usage, "say where to run: -r TABLE or --hosts LIST, or --via slurm inside a Slurm job");
  JobPlacement placement;
  if (has_hosts(options)) placement.hosts = hosts_in(options);
  if (!options.table_file.empty()) placement.table_text = table_text(options);
  placement.table = options.table_file.empty() ? launcher::table_of(placement.hosts)
                                               : table_of(placement.table_text, options.table_file);
  placement.hosts = hosts_of_table(options, placement.table, placement.hosts);
  const std::size_t world = ranktable::device_count(placement.table);
  const auto refusal = ranktable::adasum_refusal(world);
  if (options.adasum && refusal)
    throw Quit(exit_no, *refusal + "\nadarun: " +
                            (!options.hosts.empty()        ? options.hosts
                             : !options.table_file.empty() ? options.table_file
                                                           : "the Slurm job") +
                            " has " + std::to_string(world) + " devices; nothing was started");
  return placement;
}

}  // namespace adarun::cli
