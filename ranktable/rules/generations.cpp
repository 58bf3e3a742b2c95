// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

// The sets of four cards that HCCL takes on Ascend 910, bit i for card i:
// 0123 4567 0145 0246 0347 1256 1357 2367.
constexpr std::array<std::uint32_t, 8> sets_of_four{0x0F, 0xF0, 0x33, 0x55, 0x99, 0x66, 0xAA, 0xCC};

// Findings of one generation, under its name.
class Rules {
 public:
  Rules(std::string_view name, bool chosen, Findings& findings)
      : name_(name), severity_(chosen ? Severity::error : Severity::warning), findings_(findings) {}

  void broken(const std::string& path, const std::string& rule, const std::string& found) {
    findings_.push_back({severity_, path, std::string(name_) + ": " + rule, "EI0014", found});
  }
  void unadvised(const std::string& path, const std::string& rule, const std::string& found) {
    findings_.push_back({Severity::warning, path, std::string(name_) + ": " + rule, "", found});
  }

 private:
  std::string_view name_;
  Severity severity_;
  Findings& findings_;
};

std::string devices_path(std::size_t server) {
  return path_of(server) + ".device";
}

// One finding per server, at its first device whose id is too large.
void check_ids(const Table& table, int largest, Rules& rules) {
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const std::vector<Device>& devices = table.servers[i].devices;
    const auto beyond = std::find_if(devices.begin(), devices.end(),
                                     [largest](const Device& device) { return device.device_id > largest; });
    if (beyond == devices.end()) continue;
    rules.broken(path_of(i, static_cast<std::size_t>(beyond - devices.begin())) + ".device_id",
                 "must be 0 to " + std::to_string(largest), '"' + std::to_string(beyond->device_id) + '"');
  }
}

// The first server that has another number of devices than server 0; the number of servers where none has.
std::size_t first_unequal(const Table& table) {
  std::size_t i = 0;
  while (i < table.servers.size() && table.servers[i].devices.size() == table.servers[0].devices.size()) ++i;
  return i;
}

void advise_equal_numbers(const Table& table, Rules& rules) {
  const std::size_t other = first_unequal(table);
  if (other < table.servers.size())
    rules.unadvised(devices_path(other), "equal numbers of devices on all servers are advised",
                    std::to_string(table.servers[other].devices.size()) + " here and " +
                        std::to_string(table.servers[0].devices.size()) + " on the first");
}

bool are_linked(const Server& server) {
  std::uint32_t cards = 0;
  for (const Device& device : server.devices) {
    if (device.device_id < 0 || device.device_id > 7) return true;
    cards |= 1U << static_cast<unsigned>(device.device_id);
  }
  const int count = std::popcount(cards);
  if (count == 2) return (cards & 0x0FU) == 0 || (cards & 0xF0U) == 0;
  return count != 4 || std::find(sets_of_four.begin(), sets_of_four.end(), cards) != sets_of_four.end();
}

void check_910(const Table& table, Rules rules) {
  check_ids(table, 7, rules);
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    const std::size_t count = server.devices.size();
    if (count > 8 || !std::has_single_bit(count))
      rules.broken(devices_path(i), "a server must have 1, 2, 4 or 8 devices", std::to_string(count));
    if (!are_linked(server))
      rules.broken(devices_path(i),
                   "two cards must be of one ring (0-3 or 4-7), four must be 0123, 4567, 0145, 0246, 0347, "
                   "1256, 1357 or 2367",
                   "other cards");
  }
  const std::size_t other = first_unequal(table);
  if (other < table.servers.size())
    rules.broken(devices_path(other), "all servers must have the same number of devices",
                 std::to_string(table.servers[other].devices.size()) + " here and " +
                     std::to_string(table.servers[0].devices.size()) + " on the first");
}

void check_a2(const Table& table, Rules rules) {
  check_ids(table, 15, rules);
  if (table.servers.size() < 2) return;
  for (std::size_t i = 0; i < table.servers.size(); ++i)
    if (table.servers[i].devices.size() > 8)
      rules.broken(devices_path(i), "each of several servers must have 1 to 8 devices",
                   std::to_string(table.servers[i].devices.size()));
  advise_equal_numbers(table, rules);
}

void check_a3(const Table& table, Rules rules) {
  check_ids(table, 15, rules);
  advise_equal_numbers(table, rules);
}

}  // namespace

void check_generations(const Table& table, const ValidateOptions& options, Findings& findings) {
  for (const Server& server : table.servers)
    if (server.devices.empty()) return;
  const auto applies = [&](Generation generation) {
    return !options.generation || options.generation == generation;
  };
  const bool chosen = options.generation.has_value();
  if (applies(Generation::ascend910)) check_910(table, {"Ascend 910", chosen, findings});
  if (applies(Generation::a2)) check_a2(table, {"A2", chosen, findings});
  if (applies(Generation::a3)) check_a3(table, {"A3", chosen, findings});
  if (options.generation == Generation::ascend950)
    Rules("Ascend 950", chosen, findings).unadvised("$.version", "has tables of version 2.0", "\"1.0\"");
}

}  // namespace adarun::ranktable
