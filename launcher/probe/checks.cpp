// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/checks.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/describe.h"
#include "base/version.h"

namespace adarun::launcher {
namespace {

constexpr std::uint64_t mib = 1U << 20U;
constexpr std::uint64_t shm_bytes_per_rank = 64 * mib;
constexpr std::uint64_t disk_bytes = 1024 * mib;
constexpr std::uint64_t open_files_per_rank = 256;
constexpr std::chrono::milliseconds clock_tolerance{500};

std::string bytes_text(std::uint64_t bytes) {
  const std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

using Checks = std::vector<Check>;

void add(Checks& checks, const std::string& subject, const std::string& found) {
  checks.push_back({subject, found, Verdict::good, ""});
}

// `wrong`: good if it holds.
void add_unless(bool good, Checks& checks, Check wrong) {
  if (good) wrong = {std::move(wrong.subject), std::move(wrong.found), Verdict::good, ""};
  checks.push_back(std::move(wrong));
}

// In whole seconds, so that the results of nodes that are alike can be put together.
void check_login_shell(const ConnectTimes& times, Checks& checks) {
  if (!times.is_slow()) return;
  const auto whole = std::chrono::round<std::chrono::seconds>(times.shell_time());
  add_unless(false, checks,
             {"login shell", "the " + times.shell() + " takes " + base::describe(whole), Verdict::doubtful,
              "every connection waits for it: what do its start-up files do (~/.bashrc, /etc/profile.d)?"});
}

void check_clock(const NodeFacts& facts, Checks& checks) {
  if (!facts.clock_offset)
    return add_unless(false, checks, {"clock", "not known", Verdict::doubtful, "is date there?"});
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*facts.clock_offset).count();
  const bool good = std::chrono::milliseconds(std::llabs(ms)) <= clock_tolerance + facts.clock_bound;
  add_unless(good, checks,
             {"clock",
              good ? "agrees with this machine's"
                   : std::to_string(std::llabs(ms)) + " ms " + (ms > 0 ? "ahead" : "behind"),
              Verdict::doubtful, "times in logs will not fit together: run NTP on all nodes"});
}

void check_machine(const NodeFacts& facts, const JobRequirements& wants, Checks& checks) {
  add(checks, "kernel", facts.kernel);
  add_unless(facts.cpus.value_or(0) > 0, checks,
             {"CPUs", facts.cpus ? std::to_string(*facts.cpus) : "not known", Verdict::doubtful, ""});
  if (facts.memory_bytes) add(checks, "memory", bytes_text(*facts.memory_bytes));
  const std::uint64_t files = facts.open_files.value_or(0);
  add_unless(files >= open_files_per_rank * wants.ranks, checks,
             {"open files", "at most " + std::to_string(files), Verdict::doubtful,
              "raise ulimit -n for this user on the node"});
}

void check_space(const NodeFacts& facts, const JobRequirements& wants, Checks& checks) {
  for (const auto& [folder, free] : facts.free_bytes) {
    const bool is_shm = folder == "/dev/shm";
    const std::uint64_t wanted = is_shm ? shm_bytes_per_rank * wants.ranks : disk_bytes;
    // Free space differs on every node, which would prevent folding: the amount is shown only if it is too
    // low.
    add_unless(
        free >= wanted, checks,
        {"free space", folder + ": " + (free >= wanted ? "enough" : bytes_text(free)), Verdict::doubtful,
         (is_shm ? "MPI shares memory there: wanted " : "wanted ") + bytes_text(wanted)});
  }
  if (!facts.has_workdir)
    add_unless(false, checks,
               {"working folder", wants.workdir + ": no answer within 10 s", Verdict::wrong,
                "does its file system answer?"});
  else
    add_unless(*facts.has_workdir, checks,
               {"working folder",
                wants.workdir + (*facts.has_workdir ? "" : " is no folder that this user may enter"),
                Verdict::wrong, "make it, or give --workdir DIR"});
}

void check_software(const NodeFacts& facts, const JobRequirements& wants, Checks& checks) {
  add(checks, "libmpi", facts.libmpi.empty() ? "not found" : facts.libmpi);
  add(checks, "libmpich", facts.libmpich.empty() ? "not found" : facts.libmpich);
  add(checks, "libpmix", facts.libpmix.empty() ? "not found" : facts.libpmix);
  if (!wants.program.empty())
    add_unless(
        facts.program && !facts.program->empty(), checks,
        {"program",
         facts.program && !facts.program->empty() ? *facts.program : wants.program + " is no program there",
         Verdict::wrong, "install it, chmod +x it, or give its path"});
}

void check_network(const NodeFacts& facts, const JobRequirements& wants, Checks& checks) {
  const auto& has = facts.addresses;
  if (!wants.address.empty())
    add_unless(std::find(has.begin(), has.end(), wants.address) != has.end(), checks,
               {"server_id",
                std::find(has.begin(), has.end(), wants.address) != has.end()
                    ? "is an address of the node"
                    : wants.address + " is no address of " + facts.hostname,
                Verdict::wrong, "the rank table is of another machine, or old"});
  bool all_reached = !facts.peers.empty();
  for (const auto& [peer, reason] : facts.peers) {
    if (reason.empty()) continue;
    all_reached = false;
    add_unless(false, checks,
               {connection_subject, "to " + peer + ": " + reason, Verdict::wrong,
                "ranks must reach each other: look at routes and firewalls"});
  }
  if (all_reached) add(checks, connection_subject, "reaches node 0 and the next one");
}

bool ought_to_be_alike(const std::string& subject) {
  for (const char* alike : {"kernel", "CPUs", "libmpi", "libmpich", "libpmix", "program"})
    if (subject == alike) return true;
  return false;
}

// Of the checks of one subject, marks all but the most frequent result as doubtful.
void doubt_the_few(std::vector<FoldedCheck>& folded, const std::string& subject) {
  const FoldedCheck* most = nullptr;
  for (const FoldedCheck& each : folded)
    if (each.check.subject == subject && (most == nullptr || each.nodes.size() > most->nodes.size()))
      most = &each;
  for (FoldedCheck& each : folded)
    if (each.check.subject == subject && &each != most && each.check.verdict == Verdict::good)
      each.check = {subject, each.check.found, Verdict::doubtful, "differs from most nodes"};
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "ok";
    case Verdict::doubtful:
      return "warning";
    case Verdict::wrong:
      return "wrong";
  }
  return "";
}

std::vector<Check> checks_of(const NodeFacts& facts, const JobRequirements& wants) {
  Checks checks;
  add(checks, "reachable", "yes, agent " + base::version());
  check_login_shell(facts.connect_times, checks);
  check_clock(facts, checks);
  check_machine(facts, wants, checks);
  check_space(facts, wants, checks);
  check_software(facts, wants, checks);
  check_network(facts, wants, checks);
  return checks;
}

std::vector<Check> checks_of_lost(const std::string& reason) {
  return {{"reachable", reason, Verdict::wrong, ""}};
}

std::vector<FoldedCheck> fold_checks(const std::vector<std::string>& nodes,
                                     std::vector<std::vector<Check>> checks) {
  std::vector<std::string> subjects;
  std::vector<FoldedCheck> folded;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (Check& check : checks[node]) {
      if (std::find(subjects.begin(), subjects.end(), check.subject) == subjects.end())
        subjects.push_back(check.subject);
      const auto same = std::find_if(folded.begin(), folded.end(),
                                     [&](const FoldedCheck& each) { return each.check == check; });
      if (same != folded.end()) {
        same->nodes.push_back(nodes[node]);
      } else {
        folded.push_back({std::move(check), {nodes[node]}});
      }
    }
  const auto place = [&](const FoldedCheck& each) {
    return std::find(subjects.begin(), subjects.end(), each.check.subject);
  };
  std::stable_sort(folded.begin(), folded.end(), [&](const FoldedCheck& left, const FoldedCheck& right) {
    return place(left) < place(right);
  });
  for (const std::string& subject : subjects)
    if (ought_to_be_alike(subject)) doubt_the_few(folded, subject);
  return folded;
}

}  // namespace adarun::launcher
