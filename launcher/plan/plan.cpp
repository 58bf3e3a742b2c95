// SPDX-License-Identifier: Apache-2.0
#include "launcher/plan/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/blake2b.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/plan/rank_environment.h"
#include "launcher/protocol/start.h"
#include "ranktable/operations/gen.h"
#include "ranktable/write.h"

namespace adarun::launcher {
namespace {

// In the scratch folder of each node.
constexpr const char* table_file = "rank_table.json";

std::vector<protocol::NodeRanks> node_map(const ranktable::Table& table) {
  std::vector<protocol::NodeRanks> map;
  for (const ranktable::Server& server : table.servers) {
    protocol::NodeRanks& node = map.emplace_back();
    node.hostname = server.server_id;
    for (const ranktable::Device& device : server.devices)
      node.ranks.push_back(static_cast<std::uint32_t>(device.rank_id));
    std::sort(node.ranks.begin(), node.ranks.end());
  }
  return map;
}

// A suffix that cannot be guessed from other folders of the job. Another user who guessed it could create
// this folder first, and the job would fail. That of a spare is another one than that of the node whose place
// it takes.
std::string ending_of_name(const std::string& secret, const std::string& folder_on_host) {
  constexpr std::size_t digits = 16;
  if (secret.empty()) return "";
  base::Blake2b hash;
  hash.update(secret);
  hash.update(folder_on_host);
  return '-' + hash.hex().substr(0, digits);
}

std::string nodes_variable(const std::vector<Host>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const Host& host : hosts) names.push_back(host.name);
  return "ADARUN_ATTEMPT_NODES=" + fold_names(names);
}

std::string name_of(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

// Those of the job that roles override: each rank has them before those of its role. The others, which all
// ranks have, stay in `environment`.
std::vector<std::string> take_overridden(std::vector<std::string>& environment,
                                         const std::vector<Role>& roles) {
  std::set<std::string> names;
  for (const Role& role : roles)
    for (const std::string& variable : role.environment) names.insert(name_of(variable));
  const auto overridden = std::stable_partition(
      environment.begin(), environment.end(),
      [&names](const std::string& variable) { return names.count(name_of(variable)) == 0; });
  std::vector<std::string> taken(overridden, environment.end());
  environment.erase(overridden, environment.end());
  return taken;
}

void add(std::vector<std::string>& variables, const std::vector<std::string>& more) {
  variables.insert(variables.end(), more.begin(), more.end());
}

protocol::JobSpec job_spec_of(const ranktable::Table& table, const std::vector<Host>& hosts,
                              const JobOptions& options, const AttemptOptions& attempt,
                              const std::vector<std::string>& environment) {
  const std::string text = attempt.rank_table.empty() ? ranktable::write(table) : attempt.rank_table;
  protocol::JobSpec spec{
      node_map(table), {{table_file, text}}, options.argv, options.workdir, {nodes_variable(hosts)}};
  add(spec.environment, environment);
  spec.mpi_secret = attempt.secret;
  spec.application_of_rank = role_of_ranks(options.roles, ranktable::device_count(table));
  return spec;
}

protocol::Start start_of(const Plan& plan, std::size_t node) {
  const JobOptions& options = plan.options;
  protocol::Start start;
  start.job_id = plan.job_id;
  start.node = static_cast<std::uint32_t>(node);
  start.world_size = static_cast<std::uint32_t>(plan.world_size());
  const std::string folder = protocol::scratch_folder(plan.job_id, node);
  const std::string& host = plan.nodes[node].host.name;
  start.scratch = folder + ending_of_name(plan.job_spec.mpi_secret, folder + host);
  const std::string shm_folder = "/dev/shm" + folder.substr(folder.rfind('/'));
  if (options.mpi != protocol::Mpi::off)
    start.shm_folder = shm_folder + ending_of_name(plan.job_spec.mpi_secret, shm_folder + host);
  start.mpi = options.mpi;
  start.lease_ms = in_ms(options.lease);
  start.grace_ms = in_ms(options.grace);
  start.process_limits = options.process_limits;
  start.resumable = options.resumable;
  start.stays = options.keeps_agents();
  start.restarts_ranks = options.restarts_ranks();
  return start;
}

// Program, folder and variables of its own.
void give_role(protocol::RankSpec& part, const Role& role, const std::vector<std::string>& overridden) {
  part.argv = role.argv;
  part.workdir = role.workdir;
  add(part.environment, overridden);
  add(part.environment, role.environment);
}

protocol::Stdin stdin_of(std::uint32_t rank, StdinReaders readers) {
  using protocol::Stdin;
  if (readers == StdinReaders::all) return Stdin::passed_on;
  if (rank != 0) return Stdin::none;
  if (readers == StdinReaders::first) return Stdin::passed_on;
  return readers == StdinReaders::first_of_mpi ? Stdin::if_mpi : Stdin::none;
}

void add_ranks(protocol::Start& start, std::vector<RankEnvironment> ranks, const Plan& plan,
               const std::vector<std::string>& overridden) {
  for (RankEnvironment& rank : ranks) {
    protocol::RankSpec& part = start.ranks.emplace_back();
    part.rank = static_cast<std::uint32_t>(rank.row.rank);
    part.local_rank = static_cast<std::uint32_t>(rank.row.local_rank);
    part.environment = std::move(rank.variables);
    part.defaults = std::move(rank.defaults);
    part.in = stdin_of(part.rank, plan.options.stdin_readers);
    if (const Role* role = plan.role_of(part.rank)) give_role(part, *role, overridden);
  }
}

Host host_of(const std::string& server_id, const HostMap& map) {
  const auto mapped = map.find(server_id);
  return mapped != map.end() ? mapped->second : Host{server_id, {}, "", 0};
}

}  // namespace

std::vector<Host> hosts_of(const ranktable::Table& table, const HostMap& map) {
  std::vector<Host> hosts;
  for (const ranktable::Server& server : table.servers) {
    Host& host = hosts.emplace_back(host_of(server.server_id, map));
    host.devices.clear();
    for (const ranktable::Device& device : server.devices) host.devices.push_back(device.device_id);
  }
  return hosts;
}

std::vector<Host> hosts_for(const ranktable::Table& table, const std::vector<Host>& list,
                            const HostMap& map) {
  std::map<std::string_view, const Host*> by_name;
  for (const Host& host : list) by_name.emplace(host.name, &host);
  std::map<std::string_view, std::string_view> server_of;  // By host.
  std::vector<Host> hosts;
  for (const ranktable::Server& server : table.servers) {
    const std::string name = host_of(server.server_id, map).name;
    const auto found = by_name.find(name);
    if (found == by_name.end())
      throw Error("rank table: server_id \"" + server.server_id + "\"" +
                  (name == server.server_id ? std::string() : ", host \"" + name + "\",") +
                  " is not in the host list; --map FILE says which host it stands for");
    const auto [before, is_first] = server_of.emplace(found->first, server.server_id);
    if (!is_first)
      throw Error("rank table: server_id \"" + std::string(before->second) + "\" and server_id \"" +
                  server.server_id + "\" are both host \"" + name + "\": wanted one for each host");
    hosts.push_back(*found->second);
  }
  return hosts;
}

namespace {

// The host whose name is the server's with or without a domain; null if there are two, or none.
const Host* sole_namesake(const std::string& server_id, const std::vector<Host>& list) {
  const Host* found = nullptr;
  for (const Host& host : list) {
    if (!are_one_name(server_id, host.name)) continue;
    if (found != nullptr) return nullptr;
    found = &host;
  }
  return found;
}

}  // namespace

HostMap with_addresses(HostMap map, const ranktable::Table& table, const std::vector<Host>& list,
                       const std::vector<std::vector<std::string>>& addresses) {
  std::map<std::string_view, const Host*> by_address;
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const std::string& address : addresses[i]) by_address.emplace(address, &list[i]);
  for (const Host& host : list) by_address[host.name] = &host;
  for (const ranktable::Server& server : table.servers)
    if (const auto found = by_address.find(server.server_id); found != by_address.end())
      map.emplace(server.server_id, *found->second);
    else if (const Host* host = sole_namesake(server.server_id, list))
      map.emplace(server.server_id, *host);
  return map;
}

bool names_all(const std::vector<Host>& list, const ranktable::Table& table, const HostMap& map) {
  std::set<std::string_view> names;
  for (const Host& host : list) names.insert(host.name);
  return std::all_of(table.servers.begin(), table.servers.end(), [&](const ranktable::Server& server) {
    return names.count(host_of(server.server_id, map).name) > 0;
  });
}

ranktable::Table table_of(const std::vector<Host>& hosts) {
  std::vector<ranktable::PlainNode> nodes;
  nodes.reserve(hosts.size());
  for (const Host& host : hosts) nodes.push_back({host.name, host.devices});
  return ranktable::plain(nodes);
}

Plan make_plan(const ranktable::Table& table, const std::vector<Host>& hosts,
               const std::vector<std::string>& addresses, const JobOptions& options,
               const AttemptOptions& attempt) {
  std::vector<std::string> environment = options.environment;
  const std::vector<std::string> overridden = take_overridden(environment, options.roles);
  Plan plan{
      attempt.job_id, options, table, job_spec_of(table, hosts, options, attempt, environment), {}, {}, {}};
  plan.stage = attempt.stage;
  plan.timeout_used = attempt.timeout_used;
  plan.earlier = attempt.earlier;
  plan.node_of_rank.resize(ranktable::device_count(table));
  plan.device_of_rank.resize(plan.node_of_rank.size());
  const RankEnvironments environments(table, addresses, options, attempt);
  for (std::size_t node = 0; node < table.servers.size(); ++node) {
    const ranktable::Server& server = table.servers[node];
    NodePlan& part = plan.nodes.emplace_back();
    part.host = hosts[node];
    part.start = start_of(plan, node);
    part.start.addresses = {server.server_id, addresses[node]};
    add_ranks(part.start, environments.of_node(node, part.start.scratch + "/" + table_file), plan,
              overridden);
    for (const ranktable::Device& device : server.devices) {
      plan.node_of_rank[static_cast<std::size_t>(device.rank_id)] = static_cast<std::uint32_t>(node);
      plan.device_of_rank[static_cast<std::size_t>(device.rank_id)] = device.device_id;
    }
  }
  return plan;
}

void replace_node(Plan& plan, std::uint32_t node, Plan next) {
  if (next.node_of_rank != plan.node_of_rank)
    throw Error(next.nodes[node].host.name + ": has other ranks than " + plan.nodes[node].host.name);
  ReplacedNode& replaced = plan.replaced.emplace_back(ReplacedNode{node, plan.nodes[node].host, {}});
  for (const protocol::RankSpec& spec : plan.nodes[node].start.ranks) replaced.ranks.push_back(spec.rank);
  plan.nodes[node] = std::move(next.nodes[node]);
  plan.table = std::move(next.table);
  plan.job_spec = std::move(next.job_spec);
  plan.device_of_rank = std::move(next.device_of_rank);
}

}  // namespace adarun::launcher
