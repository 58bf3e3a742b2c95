// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/log_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "monitor/base/error.h"

namespace adarun::monitor {
namespace {

namespace fs = std::filesystem;

// The number of "worker_12.log" between "worker_" and ".log".
std::optional<std::uint32_t> number_in(std::string_view name, std::string_view before,
                                       std::string_view after) {
  if (name.size() <= before.size() + after.size()) return std::nullopt;
  if (name.substr(0, before.size()) != before || name.substr(name.size() - after.size()) != after) {
    return std::nullopt;
  }
  name.remove_prefix(before.size());
  name.remove_suffix(after.size());
  std::uint32_t number = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (wrong != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// The rank of "worker_3.log" or "worker_3.log.gz".
std::optional<std::uint32_t> rank_in(std::string_view name) {
  const auto rank = number_in(name, "worker_", ".log");
  return rank ? rank : number_in(name, "worker_", ".log.gz");
}

using Entries = std::vector<FolderEntry>;

// The entries named `before`<number>`after`, by number.
std::map<std::uint32_t, fs::path> numbered(const Entries& entries, std::string_view before,
                                           std::string_view after = {}) {
  std::map<std::uint32_t, fs::path> found;
  for (const FolderEntry& entry : entries)
    if (const auto number = number_in(entry.path.filename().string(), before, after))
      found.emplace(*number, entry.path);
  return found;
}

Entries folders_of(const Entries& entries) {
  Entries folders;
  std::ranges::copy_if(entries, std::back_inserter(folders), &FolderEntry::is_folder);
  return folders;
}

// train.log, else train.log.gz, else the first log*.
std::optional<fs::path> log_in_device_folder(const Entries& entries) {
  for (const char* name : {"train.log", "train.log.gz"})
    for (const FolderEntry& entry : entries)
      if (entry.is_file && entry.path.filename() == name) return entry.path;
  const auto first = std::ranges::find_if(entries, [](const FolderEntry& entry) {
    return entry.is_file && entry.path.filename().string().starts_with("log");
  });
  return first == entries.end() ? std::nullopt : std::optional(first->path);
}

std::map<std::uint32_t, fs::path> device_logs(const Entries& entries, Links links) {
  std::map<std::uint32_t, fs::path> logs;
  for (const auto& [device, path] : numbered(folders_of(entries), "device")) {
    if (auto log = log_in_device_folder(entries_of(path, links))) logs.emplace(device, std::move(*log));
  }
  return logs;
}

// As logs_in() numbers those of several nodes.
std::vector<LogFile> logs_of_nodes(const Entries& entries, Links links) {
  std::vector<LogFile> logs;
  for (const auto& [node, path] : numbered(folders_of(entries), "node"))
    for (const auto& [device, log] : device_logs(entries_of(path, links), links))
      logs.push_back({static_cast<std::uint32_t>(logs.size()), log});
  return logs;
}

// "log_rank3.txt", "rank-12.out", "3.log" -> the rank: the number after "rank", or the whole name without its
// extension.
std::optional<std::uint32_t> rank_named_in(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending != ".log" && ending != ".out" && ending != ".txt") return std::nullopt;
  const std::string stem = file.stem().string();
  const std::size_t word = stem.rfind("rank");
  const std::size_t begin =
      word == std::string::npos ? 0 : std::min(stem.find_first_of("0123456789", word), stem.size());
  const std::string_view between = word == std::string::npos
                                       ? std::string_view()
                                       : std::string_view(stem).substr(word + 4, begin - word - 4);
  if (between.size() > 1 || between.find_first_not_of("_-.") != std::string_view::npos) return std::nullopt;
  const std::string_view behind = std::string_view(stem).substr(begin);
  const std::size_t digits = std::min(behind.find_first_not_of("0123456789"), behind.size());
  if (word == std::string::npos && digits != behind.size()) return std::nullopt;
  return number_in("#" + std::string(behind.substr(0, digits)), "#", "");
}

// Files that a job writes next to its logs.
bool is_companion(const fs::path& file) {
  const std::string name = file.filename().string();
  return name == "scheduler.log" || name == "adarun.log" || name == "adarun.1.log" ||
         name.starts_with("env_") || name.starts_with("hang_") || name == "line_times.txt";
}

std::vector<fs::path> files_in(const Entries& entries) {
  std::vector<fs::path> files;
  for (const FolderEntry& entry : entries)
    if (entry.is_file && !is_companion(entry.path)) files.push_back(entry.path);
  return files;
}

std::vector<LogFile> logs_named_by_rank(const Entries& entries, Links /*links*/) {
  std::map<std::uint32_t, fs::path> found;
  for (const fs::path& file : files_in(entries))
    if (const auto rank = rank_named_in(file)) found.emplace(*rank, file);
  std::vector<LogFile> logs;
  logs.reserve(found.size());
  for (const auto& [rank, path] : found) logs.push_back({rank, path});
  return logs;
}

// torchrun's logs of the last attempt: attempt_<n>/<local rank>/stdout.log, or stderr.log if that is missing
// or empty.
std::vector<LogFile> logs_of_attempts(const Entries& entries, Links links) {
  const auto attempts = numbered(folders_of(entries), "attempt_");
  std::vector<LogFile> logs;
  if (attempts.empty()) return logs;
  for (const auto& [rank, path] : numbered(entries_of(attempts.rbegin()->second, links), "")) {
    for (const char* name : {"stdout.log", "stderr.log"}) {
      struct stat status {};
      if (look_at(path / name, links, status) != 0 || status.st_size == 0) continue;
      logs.push_back({rank, path / name});
      break;
    }
  }
  return logs;
}

// torchrun makes one folder for each run; takes the last one by name that has logs.
std::vector<LogFile> logs_of_torchrun(const Entries& entries, Links links) {
  std::vector<LogFile> logs = logs_of_attempts(entries, links);
  const Entries inner = folders_of(entries);
  for (auto each = inner.rbegin(); logs.empty() && each != inner.rend(); ++each)
    logs = logs_of_attempts(entries_of(each->path, links), links);
  return logs;
}

// Numbers the logs in the order of their names.
std::vector<LogFile> other_logs(const Entries& entries, Links /*links*/) {
  std::vector<LogFile> logs;
  for (const fs::path& file : files_in(entries)) {
    const std::string ending = file.extension().string();
    if (ending == ".log" || ending == ".out") logs.push_back({static_cast<std::uint32_t>(logs.size()), file});
  }
  return logs;
}

// The canonical path, equal for all names of a file; `file` itself if that fails, as for a descriptor's path
// whose file was removed.
fs::path one_name_of(const fs::path& file) {
  std::error_code error;
  fs::path name = fs::canonical(file, error);
  return error ? file : name;
}

std::uint32_t next_free(const std::set<std::uint32_t>& taken) {
  return taken.empty() ? 0 : *taken.rbegin() + 1;
}

}  // namespace

std::vector<LogFile> logs_in(const fs::path& folder, Links links) {
  const Entries entries = entries_of(folder, links);
  std::vector<LogFile> logs;
  auto workers = numbered(entries, "worker_", ".log");
  workers.merge(numbered(entries, "worker_", ".log.gz"));
  logs.reserve(workers.size());
  for (const auto& [rank, path] : workers) logs.push_back({rank, path});
  if (!logs.empty()) return logs;
  for (const auto& [device, path] : device_logs(entries, links)) logs.push_back({device, path});
  for (const auto find : {logs_of_nodes, logs_of_torchrun, logs_named_by_rank, other_logs})
    if (logs.empty()) logs = find(entries, links);
  return logs;
}

std::vector<LogFile> logs_at(const std::vector<fs::path>& places, Links links) {
  std::vector<LogFile> logs;
  std::set<std::uint32_t> taken;
  std::set<fs::path> known;
  const auto add = [&](std::optional<std::uint32_t> rank, const fs::path& path) {
    if (places.size() > 1 && !known.insert(one_name_of(path)).second) return;
    const std::uint32_t free = rank && !taken.contains(*rank) ? *rank : next_free(taken);
    taken.insert(free);
    logs.push_back({free, path});
  };
  for (const fs::path& place : places) {
    struct stat status {};
    const bool is_there = look_at(place, links, status) == 0;
    if (!is_there && links == Links::refused && errno == ELOOP) throw Error(cannot_be_read(place, links));
    if (is_there && S_ISDIR(status.st_mode)) {
      for (const LogFile& log : logs_in(place, links)) add(log.rank, log.path);
    } else if (is_there) {
      if (places.size() > 1 && is_companion(place)) continue;
      const auto worker = rank_in(place.filename().string());
      add(worker ? worker : rank_named_in(place), place);
    } else {
      throw Error(place.string() + ": not there; wanted a log file or a folder of logs");
    }
  }
  return logs;
}

}  // namespace adarun::monitor
