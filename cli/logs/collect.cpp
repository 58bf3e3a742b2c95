// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/collect.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/process.h"
#include "cli/arguments/command.h"
#include "cli/console/user_input.h"
#include "cli/jobs/find_job.h"
#include "cli/logs/node_files.h"
#include "launcher/fetch/fetch_target.h"

namespace adarun::cli {
namespace {

std::string fetched_text(const launcher::FetchedNode& node) {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t new_bytes = 0;
  bool all_kept = true;
  for (const launcher::FetchedFile& file : node.files) {
    if (!file.reason.empty()) continue;
    ++files;
    bytes += file.found.size_bytes;
    new_bytes += file.new_bytes;
    all_kept = all_kept && file.how == launcher::FetchResult::kept;
  }
  if (files == 0) return "";
  std::string text = base::counted(files, "file") + ", " + base::describe_bytes(bytes);
  if (all_kept) return text + ", all here already";
  return new_bytes < bytes ? text + ", " + base::describe_bytes(new_bytes) + " of it new" : text;
}

void print_recovered(const std::string& node, const launcher::RecoveredOutput& home, bool is_replaced) {
  if (!home.reason.empty()) {
    std::fprintf(stderr, "adarun: %s: %s\n", node.c_str(), base::clean_line(home.reason).c_str());
    return;
  }
  if (!home.found) std::printf("%s: nothing was kept there\n", node.c_str());
  for (const auto& [rank, bytes] : home.new_bytes) {
    const auto apart = home.apart.find(rank);
    const char* const why =
        is_replaced ? ", as a spare has continued with its log" : ", as --log-limit has shortened its log";
    const std::string where = apart == home.apart.end() ? "" : ", to " + apart->second + why;
    std::printf("%s: rank %u: %llu bytes brought home%s\n", node.c_str(), rank,
                static_cast<unsigned long long>(bytes), where.c_str());
  }
  if (home.found && home.new_bytes.empty()) std::printf("%s: the logs have all of it\n", node.c_str());
}

// In the order of asked_nodes().
std::vector<launcher::Host> asked_hosts(const JobFile& job) {
  std::vector<launcher::Host> hosts = job.hosts;
  for (const launcher::ReplacedNode& node : job.replaced) hosts.push_back(node.host);
  return hosts;
}

}  // namespace

int collect_files(const std::vector<launcher::Host>& hosts, const LogsOptions& options) {
  const std::string& folder = options.collect_dir;
  UserInput input(UserInput::Keys::leave);
  launcher::DownloadFolder home(folder);
  const auto place = [&](std::uint32_t node, const launcher::protocol::FoundFile& found) {
    return std::make_shared<launcher::ArrivingFile>(home.place(hosts[node].name, found.path), found);
  };
  NodeFiles files(hosts, options.nodes, options.paths, place);
  const bool is_whole = files.fetch(
      [&input](const auto&) { return input.wait(std::chrono::milliseconds(0)) == UserInput::Event::none; });
  if (!is_whole)
    throw ExitError(exit_interrupted, "interrupted; what has come so far is in " + folder +
                                          ", and the same command continues there");
  files.leave();
  FoldedLines lines;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (const std::string line = fetched_text(files.found()[i]); !line.empty())
      lines.add(hosts[i].name, line);
  std::printf("%s", lines.text("").c_str());
  std::fflush(stdout);
  return files.report();
}

std::vector<launcher::AskedNode> asked_nodes(const JobFile& job) {
  std::map<std::string, std::set<std::uint32_t>> ranks_of;  // By name of node.
  for (const JobFile::Rank& rank : job.ranks) ranks_of[rank.node].insert(rank.rank);
  std::vector<launcher::AskedNode> nodes;
  for (const launcher::Host& host : job.hosts)
    nodes.push_back({static_cast<std::uint32_t>(nodes.size()), ranks_of[host.name]});
  std::size_t replaced = 0;
  for (const launcher::ReplacedNode& node : job.replaced)
    nodes.push_back({node.number, {node.ranks.begin(), node.ranks.end()}, ++replaced});
  return nodes;
}

int collect_kept(const std::string& name, const NodeOptions& options) {
  const JobFile job = find_job(name);
  if (job.running())
    throw ExitError(exit_failed, job.title() + ": still runs, and brings its logs home itself");
  if (job.hosts.empty()) throw ExitError(exit_failed, job.title() + ": its job.json names no nodes");
  const bool is_folder = std::filesystem::is_directory(name);  // It may have been moved.
  const std::filesystem::path folder = is_folder ? std::filesystem::path(name) : log_dir_of(job);
  const base::FileLimit files;
  const std::vector<launcher::Host> hosts = asked_hosts(job);
  const launcher::Targets targets = options.reach->locate(hosts, options);
  const auto transport = connect(options, targets, hosts, files);
  const auto recovered = launcher::recover_output(*transport, asked_nodes(job), job.id, folder);
  int status = exit_done;
  for (std::size_t node = 0; node < recovered.size(); ++node) {
    print_recovered(hosts[node].name, recovered[node], node >= job.hosts.size());
    if (!recovered[node].reason.empty()) status = exit_failed;
  }
  return status;
}

}  // namespace adarun::cli
