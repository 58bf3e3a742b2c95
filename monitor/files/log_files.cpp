// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/log_files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "monitor/error.h"

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

// What lies in a folder under a name with a number, by that number.
std::map<std::uint32_t, fs::path> numbered(const fs::path& folder, std::string_view before,
                                           std::string_view after = {}) {
  std::map<std::uint32_t, fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (const auto number = number_in(name, before, after)) found.emplace(*number, entry.path());
  }
  return found;
}

std::optional<fs::path> log_in_device_folder(const fs::path& folder) {
  if (!fs::is_directory(folder)) return std::nullopt;
  for (const char* name : {"train.log", "train.log.gz"})
    if (fs::is_regular_file(folder / name)) return folder / name;
  std::optional<fs::path> first;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename().string().substr(0, 3) != "log") continue;
    if (!first || entry.path() < *first) first = entry.path();
  }
  return first;
}

std::map<std::uint32_t, fs::path> device_logs(const fs::path& folder) {
  std::map<std::uint32_t, fs::path> logs;
  for (const auto& [device, path] : numbered(folder, "device")) {
    if (auto log = log_in_device_folder(path)) logs.emplace(device, std::move(*log));
  }
  return logs;
}

std::uint32_t next_free(const std::set<std::uint32_t>& taken) {
  return taken.empty() ? 0 : *taken.rbegin() + 1;
}

}  // namespace

std::vector<LogFile> logs_in(const fs::path& folder) {
  std::vector<LogFile> logs;
  auto workers = numbered(folder, "worker_", ".log");
  workers.merge(numbered(folder, "worker_", ".log.gz"));
  for (const auto& [rank, path] : workers) logs.push_back({rank, path});
  if (!logs.empty()) return logs;
  for (const auto& [device, path] : device_logs(folder)) logs.push_back({device, path});
  if (!logs.empty()) return logs;
  for (const auto& [node, path] : numbered(folder, "node")) {
    if (!fs::is_directory(path)) continue;
    for (const auto& [device, log] : device_logs(path)) {
      logs.push_back({static_cast<std::uint32_t>(logs.size()), log});
    }
  }
  return logs;
}

std::vector<LogFile> logs_at(const std::vector<fs::path>& places) {
  std::vector<LogFile> logs;
  std::set<std::uint32_t> taken;
  const auto add = [&](std::optional<std::uint32_t> rank, const fs::path& path) {
    const std::uint32_t free = rank && !taken.contains(*rank) ? *rank : next_free(taken);
    taken.insert(free);
    logs.push_back({free, path});
  };
  for (const fs::path& place : places) {
    if (fs::is_directory(place)) {
      for (const LogFile& log : logs_in(place)) add(log.rank, log.path);
    } else if (fs::exists(place)) {
      add(rank_in(place.filename().string()), place);
    } else {
      throw Error(place.string() + ": not there; wanted a log file or a folder of logs");
    }
  }
  return logs;
}

}  // namespace adarun::monitor
