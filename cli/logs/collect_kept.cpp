// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/collect_kept.h"

#include <cstdio>
#include <set>

#include "base/clean_text.h"
#include "base/file_limit.h"
#include "cli/jobs/find_job.h"
#include "cli/options/command.h"
#include "launcher/fetch/recovered_output.h"

namespace adarun::cli {
namespace {

void print(const std::string& node, const launcher::RecoveredOutput& home) {
  if (!home.reason.empty()) {
    std::fprintf(stderr, "adarun: %s: %s\n", node.c_str(), base::clean_line(home.reason).c_str());
    return;
  }
  if (!home.found) std::printf("%s: nothing was kept there\n", node.c_str());
  for (const auto& [rank, bytes] : home.new_bytes) {
    const auto apart = home.apart.find(rank);
    const std::string where =
        apart == home.apart.end() ? "" : ", to " + apart->second + ", as --log-limit has shortened its log";
    std::printf("%s: rank %u: %llu bytes brought home%s\n", node.c_str(), rank,
                static_cast<unsigned long long>(bytes), where.c_str());
  }
  if (home.found && home.new_bytes.empty()) std::printf("%s: the logs have all of it\n", node.c_str());
}

std::vector<std::set<std::uint32_t>> ranks_of_nodes(const JobFile& job) {
  std::vector<std::set<std::uint32_t>> ranks(job.hosts.size());
  for (std::size_t node = 0; node < job.hosts.size(); ++node)
    for (const JobFile::Rank& rank : job.ranks)
      if (rank.node == job.hosts[node].name) ranks[node].insert(rank.rank);
  return ranks;
}

}  // namespace

int collect_kept(const std::string& name, const NodeOptions& options) {
  const JobFile job = find_job(name);
  if (job.running())
    throw Quit(exit_failed, "job " + job.id + ": still runs, and brings its logs home itself");
  if (job.hosts.empty()) throw Quit(exit_failed, "job " + job.id + ": its job.json names no nodes");
  const bool is_folder = std::filesystem::is_directory(name);  // Which may have been moved.
  const std::filesystem::path folder = is_folder ? std::filesystem::path(name) : log_dir_of(job);
  const base::FileLimit files;
  const launcher::SshTargets targets = targets_of(job.hosts, options);
  const auto transport = connect(options, targets, job.hosts, files);
  const auto recovered = launcher::recover_output(*transport, ranks_of_nodes(job), job.id, folder);
  int status = exit_done;
  for (std::size_t node = 0; node < recovered.size(); ++node) {
    print(job.hosts[node].name, recovered[node]);
    if (!recovered[node].reason.empty()) status = exit_failed;
  }
  return status;
}

}  // namespace adarun::cli
