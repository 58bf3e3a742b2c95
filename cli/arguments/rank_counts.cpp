// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/rank_counts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "launcher/hosts/host_list.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::cli {
namespace {

constexpr int most_in_all = 1 << 20;

// torchrun's --nnodes 1:4.
std::string hint_for(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return "";
  return " (--nnodes " + text.substr(colon + 1) + " --min-nodes " + text.substr(0, colon) +
         ": continues with fewer)";
}

void add_rank_count(CLI::App& command, const std::string& names, std::optional<int>& target,
                    const std::string& help) {
  const auto take = [&target, shown = names.substr(0, names.find(','))](const std::string& text) {
    target = parse_number(shown, text, {1, most_in_all}, hint_for(text));
  };
  add_parsed(command, names, "N", help, take);
}

void add_ranks_per_node(CLI::App& command, RankCounts& counts) {
  const std::string name = "--nproc-per-node";
  const auto take = [&counts, name](const std::string& text) {
    counts.kind_per_node = launcher::device_kind(text);
    if (!counts.kind_per_node)
      counts.ranks_per_node =
          parse_number(name, text, {1, launcher::max_devices_per_host}, ", or auto, npu, gpu, cpu");
  };
  add_parsed(command, name, "N|auto|npu|gpu|cpu",
             "Start N ranks on each node, or one for each device that it has: NPUs, else GPUs, else CPUs",
             take);
}

std::string counted_devices(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " device" : " devices");
}

bool is_in_slurm() {
  const char* job = std::getenv("SLURM_JOB_ID");
  return job != nullptr && *job != '\0';
}

// What gives a Slurm job more ranks or nodes; empty outside of one.
std::string in_slurm(const std::string& option, int wanted) {
  return is_in_slurm() ? "; in a Slurm job: salloc or sbatch " + option + std::to_string(wanted) : "";
}

std::string names_in(const std::vector<launcher::Host>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const launcher::Host& host : hosts) names.push_back(host.name);
  return launcher::fold_names(names);
}

void take_devices_of_node(launcher::Host& host, int wanted) {
  if (!host.counted) host.devices = launcher::first_devices(wanted);
  host.counted = true;
  const auto count = static_cast<std::size_t>(wanted);
  if (host.devices.size() < count)
    throw ExitError(exit_usage, "--nproc-per-node " + std::to_string(wanted) + ": " + host.name + " has " +
                                    counted_devices(host.devices.size()) + " in the list" +
                                    in_slurm("--ntasks-per-node=", wanted));
  host.devices.resize(count);
}

void take_first_ranks(std::vector<launcher::Host>& hosts, int wanted) {
  auto left = static_cast<std::size_t>(wanted);
  std::size_t used = 0;
  for (; used < hosts.size() && left > 0; ++used) {
    std::vector<int>& devices = hosts[used].devices;
    if (devices.size() > left) devices.resize(left);
    left -= devices.size();
  }
  if (left > 0)
    throw ExitError(exit_usage, "-n " + std::to_string(wanted) + ": the hosts have " +
                                    counted_devices(static_cast<std::size_t>(wanted) - left) +
                                    " (node1:8 has eight, --nproc-per-node 8 gives each node as many)" +
                                    in_slurm("-n", wanted));
  hosts.resize(used);
}

void exclude_on(launcher::SpareOptions& options, const std::string& word) {
  if (word == "check")
    options.exclude_unfit = true;
  else if (word == "repeat")
    options.exclude_repeated = true;
  else
    throw CLI::ValidationError("--exclude-on", "\"" + word + "\": wanted check or repeat");
}

// The host of this name, else the one whose name differs from it by a domain alone.
std::vector<launcher::Host>::iterator find_listed(std::vector<launcher::Host>& hosts,
                                                  const std::string& name) {
  const auto is_same = [&](const launcher::Host& host) { return host.name == name; };
  const auto is_one = [&](const launcher::Host& host) { return launcher::are_one_name(host.name, name); };
  if (const auto same = std::ranges::find_if(hosts, is_same); same != hosts.end()) return same;
  const auto found = std::ranges::find_if(hosts, is_one);
  if (std::ranges::count_if(hosts, is_one) > 1)
    throw ExitError(exit_usage, "--spare: \"" + name + "\" may be " + found->name +
                                    " or another host of the list: wanted its name with the domain");
  return found;
}

}  // namespace

void add_rank_counts(CLI::App& command, RankCounts& counts) {
  add_rank_count(command, "-n,--ranks", counts.ranks, "Start N ranks: here, or the first of the hosts");
  add_ranks_per_node(command, counts);
  add_rank_count(command, "--nnodes", counts.nodes, "Use the first N nodes of the list");
}

std::vector<launcher::Host> take_nodes(std::vector<launcher::Host> hosts, const RankCounts& counts) {
  if (!counts.nodes) return hosts;
  const auto count = static_cast<std::size_t>(*counts.nodes);
  if (hosts.size() < count)
    throw ExitError(exit_usage, "--nnodes " + std::to_string(count) + ": the list has " +
                                    std::to_string(hosts.size()) + (hosts.size() == 1 ? " host" : " hosts") +
                                    in_slurm("-N", *counts.nodes));
  hosts.resize(count);
  return hosts;
}

void leave_devices_to(std::vector<launcher::Host>& hosts, const RankCounts& counts) {
  if (!counts.kind_per_node) return;
  const std::string word = launcher::name_of(*counts.kind_per_node);
  for (launcher::Host& host : hosts) {
    if (host.counted && host.asked_kind != counts.kind_per_node)
      throw ExitError(exit_usage,
                      "--nproc-per-node " + word + ": " + host.name + " has its devices in the list" +
                          (is_in_slurm() ? "; in a Slurm job: --hosts " + names_in(hosts) + ":" + word : ""));
    host.counted = true;
    host.asked_kind = counts.kind_per_node;
  }
}

std::vector<launcher::Host> take_ranks(std::vector<launcher::Host> hosts, const RankCounts& counts) {
  if (counts.ranks_per_node)
    for (launcher::Host& host : hosts) take_devices_of_node(host, *counts.ranks_per_node);
  if (counts.ranks) take_first_ranks(hosts, *counts.ranks);
  return hosts;
}

std::vector<launcher::Host> take_ranks_of_spares(std::vector<launcher::Host> spares,
                                                 const RankCounts& counts) {
  for (launcher::Host& spare : spares)
    if (counts.ranks_per_node && spare.counted) take_devices_of_node(spare, *counts.ranks_per_node);
  return spares;
}

std::string list_of_this_machine(const RankCounts& counts) {
  if (counts.kind_per_node) return std::string("localhost:") + launcher::name_of(*counts.kind_per_node);
  return "localhost:" + std::to_string(counts.ranks_per_node.value_or(counts.ranks.value_or(1)));
}

void add_spares(CLI::App& command, launcher::SpareOptions& options) {
  add_text(command, "--spare", options.spares, "LIST|N",
           "Connect to these hosts too, to take the place of nodes that are lost: a list, or how many of "
           "the last hosts to hold back");
  add_parsed(
      command, "--min-nodes", "N",
      "Continue without nodes that are lost while so many are left (default: all; with --resilient: half)",
      [&options](const std::string& text) {
        options.min_nodes = parse_whole<std::size_t>(text);
        if (options.min_nodes.value_or(0) == 0)
          throw CLI::ValidationError("--min-nodes", "\"" + text + "\": wanted a number of nodes from 1");
      });
  add_parsed(
      command, "--exclude-on", "check|repeat",
      "Treat a node as lost where adarun check finds a fault at the start (check), or where ranks fail "
      "first in two attempts (repeat)",
      [&options](const std::string& text) {
        std::istringstream words(text + ",");
        for (std::string word; std::getline(words, word, ',');) exclude_on(options, word);
      });
}

HostsAndSpares hold_back(std::vector<launcher::Host> hosts, const std::string& spares) {
  HostsAndSpares result;
  if (const auto count = parse_whole<std::size_t>(spares)) {
    if (*count >= hosts.size())
      throw ExitError(exit_usage, "--spare " + spares + ": of " + std::to_string(hosts.size()) +
                                      " hosts none would be left to run ranks");
    result.spares.assign(hosts.end() - static_cast<std::ptrdiff_t>(*count), hosts.end());
    hosts.resize(hosts.size() - *count);
  } else if (!spares.empty()) {
    auto named = or_exit(exit_usage, [&] { return launcher::read_hosts(spares, "--spare"); });
    for (launcher::Host& spare : named) {
      const auto listed = find_listed(hosts, spare.name);
      if (listed == hosts.end()) {
        result.spares.push_back(std::move(spare));
        continue;
      }
      result.spares.push_back(spare.counted ? std::move(spare) : std::move(*listed));
      hosts.erase(listed);
    }
    if (hosts.empty()) throw ExitError(exit_usage, "--spare " + spares + ": no host is left to run ranks");
  }
  result.hosts = std::move(hosts);
  return result;
}

}  // namespace adarun::cli
