// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/placement.h"

#include <memory>
#include <utility>

#include "cli/arguments/command.h"
#include "cli/arguments/rank_counts.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/plan/plan.h"
#include "ranktable/model/error.h"
#include "ranktable/parse.h"
#include "ranktable/rules/rules.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

constexpr std::size_t most_devices = std::size_t{1} << 20U;  // The limit of host lists too.

std::vector<std::vector<std::string>> addresses_of(const std::vector<launcher::Host>& list,
                                                   const NodeOptions& options) {
  std::vector<std::vector<std::string>> addresses;
  for (const launcher::HostPlace& place : options.reach->locate(list, options).places)
    addresses.push_back(place.addresses);
  return addresses;
}

std::vector<launcher::Host> hosts_of_table(const LaunchOptions& options, const ranktable::Table& table,
                                           const std::vector<launcher::Host>& list) {
  return or_exit(exit_usage, [&] {
    launcher::HostMap map;
    if (!options.map_file.empty()) map = launcher::read_host_map(options.map_file);
    if (!has_hosts(options)) return launcher::hosts_of(table, map);
    if (!options.reach->is_local() && !launcher::names_all(list, table, map))
      map = launcher::with_addresses(std::move(map), table, list, addresses_of(list, options));
    return launcher::hosts_for(table, list, map);
  });
}

std::string table_text(const LaunchOptions& options) {
  std::string text =
      or_exit<ranktable::Error>(exit_usage, [&] { return ranktable::read_text(options.table_file); });
  if (text.size() > ranktable::max_text_bytes)  // The limit of a frame to a node.
    throw ExitError(exit_no, options.table_file + ": larger than 40 MiB, the most that is handed to nodes");
  return text;
}

ranktable::AnyTable valid_table(const std::string& text, const std::string& name) {
  try {
    ranktable::ValidationReport report = ranktable::validate_text(text, name);
    ranktable::require_valid(report.findings, name);
    return std::move(report.table);
  } catch (const ranktable::Error& error) {
    const std::string words = error.what();
    throw ExitError(exit_no, words.rfind(name, 0) == 0 ? words : name + ": " + words);
  }
}

void place_by_table(const LaunchOptions& options, launcher::Placement& placement) {
  placement.table_text = table_text(options);
  ranktable::AnyTable table = valid_table(placement.table_text, options.table_file);
  if (!options.reads_groups && std::holds_alternative<ranktable::ServerGroupTable>(table))
    throw ExitError(exit_usage,
                    "train: " + options.table_file +
                        ": a server_group table, which the trainer does not read: adarun ranktable "
                        "convert --group ID --to 1.0 makes one that it does");
  placement.table = or_exit<ranktable::Error>(
      exit_no, [&] { return ranktable::ranks_of(table); }, options.table_file + ": ");
  placement.groups = launcher::rank_groups(table);
  placement.hosts = hosts_of_table(options, placement.table, placement.hosts);
  for (std::size_t i = 0; i < placement.hosts.size(); ++i)
    placement.server_of_host.emplace(placement.hosts[i].name, placement.table.servers[i].server_id);
  placement.whole_table = std::make_shared<const ranktable::AnyTable>(std::move(table));
  HostsAndSpares parts = hold_back(placement.hosts, options.spares.spares);
  for (const launcher::Host& spare : parts.spares)
    if (placement.server_of_host.count(spare.name) == 0)
      throw ExitError(exit_usage, "--spare: " + spare.name + " is not in " + options.table_file +
                                      ", which must have the servers of the spares, too");
  if (!parts.spares.empty())
    placement = or_exit(exit_no, [&] { return launcher::place_on(parts.hosts, placement, false); });
  placement.spares = std::move(parts.spares);
}

void refuse_to_ask(const launcher::Host& host) {
  throw ExitError(exit_usage,
                  host.name + ":" + launcher::name_of(*host.asked_kind) +
                      ": launch and train ask a node for its devices; here their number is wanted");
}

void ask_for_devices(HostsAndSpares& parts, const AskDevices& ask) {
  std::vector<launcher::Host*> open;
  for (std::vector<launcher::Host>* hosts : {&parts.hosts, &parts.spares})
    for (launcher::Host& host : *hosts)
      if (host.asked_kind) open.push_back(&host);
  if (open.empty()) return;
  if (!ask) refuse_to_ask(*open.front());
  std::vector<launcher::Host> asked;
  asked.reserve(open.size());
  for (const launcher::Host* host : open) asked.push_back(*host);
  ask(asked);
  for (std::size_t i = 0; i < open.size(); ++i) *open[i] = asked[i];
  std::size_t devices = 0;
  for (const launcher::Host& host : parts.hosts) devices += host.devices.size();
  if (devices > most_devices)
    throw ExitError(exit_could_not_start, "the nodes have " + std::to_string(devices) +
                                              " devices; wanted at most " + std::to_string(most_devices));
}

// A node can be left out only if the job may continue without it, and fails twice only if it runs again.
void require_way_to_exclude(const LaunchOptions& options) {
  const launcher::SpareOptions& spares = options.spares;
  if ((spares.exclude_unfit || spares.exclude_repeated) && !spares.any() && !options.resilient)
    throw ExitError(exit_usage, "--exclude-on: only with --spare or --min-nodes");
  if (spares.exclude_repeated && options.restarts.most == 0)
    throw ExitError(exit_usage, "--exclude-on repeat: only with --restarts");
}

void check_min_ranks(const LaunchOptions& options, std::size_t ranks) {
  if (options.rank_restarts > 0 && !options.min_ranks)
    throw ExitError(exit_usage, "--rank-restarts: only with --min-ranks");
  if (!options.min_ranks) return;
  const std::string least = "--min-ranks " + std::to_string(*options.min_ranks) + ": ";
  if (options.mpi == launcher::protocol::Mpi::off)
    throw ExitError(exit_usage, least + "not with --mpi off: ranks learn by PMI which others are left");
  if (*options.min_ranks > ranks)
    throw ExitError(exit_usage,
                    least + "the job has " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"));
}

}  // namespace

launcher::Placement place(const LaunchOptions& options, const AskDevices& ask) {
  require_hosts_to_exclude(options);
  if (options.table_file.empty() && !has_hosts(options))
    throw ExitError(exit_usage, std::string("say where to run: -r TABLE or --hosts LIST, ") +
                                    (options.runs_ranks ? "-n N for this machine, " : "") +
                                    "or --via slurm, pbs, lsf or flux inside a job of theirs");
  launcher::Placement placement;
  if (options.counts.any() && !options.table_file.empty())
    throw ExitError(exit_usage,
                    "-n, --nproc-per-node, --nnodes: not with a rank table (adarun ranktable subset)");
  if (has_hosts(options)) placement.hosts = hosts_in(options);
  if (options.table_file.empty()) {
    HostsAndSpares parts = hold_back(std::move(placement.hosts), options.spares.spares);
    parts.hosts = take_nodes(std::move(parts.hosts), options.counts);
    leave_devices_to(parts.hosts, options.counts);
    ask_for_devices(parts, ask);
    placement.hosts = take_ranks(std::move(parts.hosts), options.counts);
    placement.spares = take_ranks_of_spares(std::move(parts.spares), options.counts);
    placement.table = launcher::table_of(placement.hosts);
  } else {
    place_by_table(options, placement);
  }
  if (options.spares.min_nodes.value_or(0) > placement.hosts.size())
    throw ExitError(exit_usage, "--min-nodes " + std::to_string(*options.spares.min_nodes) + ": there are " +
                                    std::to_string(placement.hosts.size()));
  require_way_to_exclude(options);
  const std::size_t world = ranktable::device_count(placement.table);
  check_min_ranks(options, world);
  if (options.adasum) require_adasum_world(options, world);
  return placement;
}

void require_adasum_world(const LaunchOptions& options, std::size_t world, const std::string& remedy) {
  const auto refusal = ranktable::adasum_refusal(world);
  if (!refusal) return;
  throw ExitError(exit_no, *refusal + "\nadarun: " +
                               (!options.hosts.empty()        ? options.hosts
                                : !options.table_file.empty() ? options.table_file
                                                              : "the batch job") +
                               " has " + std::to_string(world) + (world == 1 ? " device" : " devices") +
                               "; nothing was started; " + remedy);
}

}  // namespace adarun::cli
