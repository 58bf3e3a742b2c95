// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/preflight.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/wall_clock.h"
#include "launcher/base/number.h"

namespace adarun::launcher {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

constexpr const char* mpich_abi = "libmpi.so.12";
constexpr std::uint32_t peer_deadline_ms = 5'000;
constexpr std::size_t rounds = 3;
constexpr std::uint32_t folder_bytes = 4 << 20;  // Limit of the names in a library folder.

// The first word after `label` in the line that begins with it; empty: none.
std::string word_behind(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(label, 0) != 0) continue;
    std::istringstream words(line.substr(label.size()));
    std::string word;
    words >> word;
    return word;
  }
  return "";
}

Query run(std::vector<std::string> argv, std::uint32_t deadline_ms = Query{}.deadline_ms) {
  Query query;
  query.argv = std::move(argv);
  query.deadline_ms = deadline_ms;
  return query;
}

std::string without_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Why a peer could not be reached; empty: it could.
std::string reason_of(const Answer& answer) {
  if (answer.outcome == Outcome::too_late) return "no answer within 5 s";
  if (answer.outcome != Outcome::answered) return answer.reason;
  if (answer.code == 0) return "";
  const std::string words = without_end(answer.err);
  const std::size_t colon = words.rfind(": ");
  return colon == std::string::npos ? "exit code " + std::to_string(answer.code) : words.substr(colon + 2);
}

}  // namespace

std::optional<int> cpus_of(const std::string& list) {
  constexpr int most = 1 << 20;  // Linux supports 8192.
  int count = 0;
  std::istringstream items(list.substr(0, list.find('\n')));
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t dash = item.find('-');
    const auto first = number<int>(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number<int>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most || count >= most)
      return std::nullopt;
    count += *last - *first + 1;
  }
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<std::uint64_t> memory_of(const std::string& meminfo) {
  const auto kib = number<std::uint64_t>(word_behind(meminfo, "MemTotal:"));
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

std::optional<std::uint64_t> open_files_of(const std::string& limits) {
  return number<std::uint64_t>(word_behind(limits, "Max open files"));
}

std::vector<std::uint64_t> free_of(const std::string& df) {
  std::vector<std::uint64_t> free;
  std::istringstream lines(df);
  std::string line;
  std::getline(lines, line);  // The header line.
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    for (int column = 0; column < 4; ++column) words >> word;
    free.push_back(number<std::uint64_t>(word).value_or(0) * 1024);
  }
  return free;
}

std::string library_in(const std::vector<std::string>& names, const std::string& stem) {
  std::string longest;
  for (const std::string& name : names)
    if (name.rfind(stem, 0) == 0 && name.size() > longest.size()) longest = name;
  return longest;
}

std::string open_mpi_in(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  std::copy_if(names.begin(), names.end(), std::back_inserter(others),
               [](const std::string& name) { return name.rfind(mpich_abi, 0) != 0; });
  return library_in(others, "libmpi.so.");
}

std::string mpich_in(const std::vector<std::string>& names) {
  const std::string found = library_in(names, "libmpich.so.");
  return found.empty() ? library_in(names, mpich_abi) : found;
}

// Peers are asked for last: the node runs one program after the other, and time that a slow folder takes is
// not theirs.
std::vector<Query> Preflight::next() {
  while (queries_.empty() && round_ < rounds) ask_of_round(round_++);
  return std::exchange(queries_, {});
}

void Preflight::ask_of_round(std::size_t round) {
  if (round == 0) return ask_the_time();
  if (round == 2) return ask_for_peers();
  ask_the_system();
  ask_for_libraries();
  ask_for_space();
  ask_for_the_program();
}

void Preflight::take(const Query& query, const Answer& answer) {
  takes_.at(query.id)(answer);
}

void Preflight::ask(Query query, Take take) {
  queries_.push_back(std::move(query));
  takes_.push_back(std::move(take));
}

void Preflight::ask_the_time() {
  asked_ = Clock::now();
  asked_ns_ = base::now_ns();
  facts_.connect_times.end(asked_ns_);
  ask(run({"date", "+%s%N"}), [this](const Answer& answer) {
    const auto ns = number<std::int64_t>(without_end(answer.out));
    if (!ns || *ns < 0 || *ns >= std::int64_t{1} << 62U) return;
    // The node read its clock at some time between question and answer: assume the middle.
    const std::chrono::nanoseconds half = (Clock::now() - asked_) / 2;
    facts_.clock_offset = std::chrono::nanoseconds(*ns - asked_ns_) - half;
    facts_.clock_bound = half;
  });
}

void Preflight::ask_the_system() {
  ask(protocol::query_about(Question::addresses, ""), [this](const Answer& answer) {
    facts_.hostname = answer.out;
    facts_.addresses = answer.names;
  });
  ask(protocol::query_about(Question::read, "/sys/devices/system/cpu/online"),
      [this](const Answer& answer) { facts_.cpus = cpus_of(answer.out); });
  ask(protocol::query_about(Question::read, "/proc/meminfo"),
      [this](const Answer& answer) { facts_.memory_bytes = memory_of(answer.out); });
  ask(protocol::query_about(Question::read, "/proc/self/limits"),
      [this](const Answer& answer) { facts_.open_files = open_files_of(answer.out); });
  ask(protocol::query_about(Question::read, "/proc/sys/kernel/osrelease"),
      [this](const Answer& answer) { facts_.kernel = without_end(answer.out); });
}

void Preflight::ask_for_libraries() {
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"}) {
    Query query = protocol::query_about(Question::list, folder);
    query.limit_bytes = folder_bytes;
    ask(std::move(query), [this](const Answer& answer) {
      if (facts_.libmpi.empty()) facts_.libmpi = open_mpi_in(answer.names);
      if (facts_.libmpich.empty()) facts_.libmpich = mpich_in(answer.names);
      if (facts_.libpmix.empty()) facts_.libpmix = library_in(answer.names, "libpmix.so.");
    });
  }
}

void Preflight::ask_for_space() {
  std::vector<std::string> folders = options_.folders;
  folders.push_back(options_.workdir);
  for (const std::string& folder : folders)
    ask(run({"df", "-Pk", "--", folder}), [this, folder](const Answer& answer) {
      const std::vector<std::uint64_t> free = free_of(answer.out);
      if (free.size() == 1) facts_.free_bytes[folder] = free.front();
    });
  ask(run({"sh", "-c", "cd -- \"$1\"", "sh", options_.workdir}), [this](const Answer& answer) {
    if (answer.outcome == Outcome::answered) facts_.has_workdir = answer.code == 0;
  });
}

void Preflight::ask_for_the_program() {
  if (options_.program.empty()) return;
  const char* script =
      "cd -- \"$1\" && p=$(command -v -- \"$2\") && case $p in */*) test -f \"$p\" && test -x \"$p\" ;; esac "
      "&& "
      "printf '%s\\n' \"$p\"";
  ask(run({"sh", "-c", script, "sh", options_.workdir, options_.program}),
      [this](const Answer& answer) { facts_.program = without_end(answer.out); });
}

void Preflight::ask_for_peers() {
  // Each deadline includes the time of those before it.
  std::uint32_t deadline_ms = 0;
  for (const std::string& peer : options_.peers) {
    deadline_ms += peer_deadline_ms;
    const std::size_t space = peer.find(' ');
    ask(run({"bash", "-c", "exec 3<>\"/dev/tcp/$0/$1\"", peer.substr(0, space), peer.substr(space + 1)},
            deadline_ms),
        [this, peer](const Answer& answer) { facts_.peers[peer] = reason_of(answer); });
  }
}

}  // namespace adarun::launcher
