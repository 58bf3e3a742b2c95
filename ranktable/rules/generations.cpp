// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "ranktable/model/quote.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule id_to_7{"device_id must be 0 to 7", "EI0014",
                       "write the physical id of the card, as npu-smi info lists them, not its rank"};
constexpr Rule id_to_15{"device_id must be 0 to 15", "EI0014", id_to_7.mend};
constexpr Rule count_910{
    "a server must have 1, 2, 4 or 8 devices", "EI0014",
    "make its table anew: adarun ranktable gen --device-num \"[0,8)\", \"[0,4)\" or \"[4,8)\""};
constexpr Rule linked{
    "two cards must be of one ring (0-3 or 4-7), four must be 0123, 4567, 0145, 0246, 0347, 1256, 1357 or "
    "2367",
    "EI0014", "take other cards: adarun ranktable gen --device-num \"[0,4)\" or \"[4,8)\""};
constexpr Rule equal_servers{"all servers must have the same number of devices", "EI0014",
                             "take the same number of devices on every server, or leave the odd one out"};
constexpr Rule count_a2{"each of several servers must have 1 to 8 devices", "EI0014",
                        "take eight of its devices: adarun ranktable gen --device-num \"[0,8)\""};
constexpr Rule equal_servers_advised{"equal numbers of devices on all servers are advised", "",
                                     equal_servers.mend, Severity::warning};
constexpr Rule version_2{"takes tables of version 2.0 alone", "EI0014",
                         "make it one: adarun ranktable convert --to 2.0"};

std::string_view name_of(Generation generation) {
  switch (generation) {
    case Generation::ascend910:
      return "Ascend 910";
    case Generation::a2:
      return "A2";
    case Generation::a3:
      return "A3";
    case Generation::ascend950:
      break;
  }
  return "Ascend 950";
}

// The devices of one server.
struct ServerDevices {
  const DeviceEntry* first = nullptr;
  std::size_t count = 0;
  std::uint32_t cards = 0;  ///< Bit i for card i, for cards 0 to 7.
  bool beyond_8 = false;    ///< Whether a card is not one of 0 to 7.
};

std::vector<ServerDevices> devices_by_server(const DeviceIndex& index) {
  std::vector<ServerDevices> servers(index.servers);
  for (const DeviceEntry& entry : index.entries) {
    ServerDevices& devices = servers[entry.server];
    if (devices.first == nullptr) devices.first = &entry;
    ++devices.count;
    if (entry.device_id >= 0 && entry.device_id < 8)
      devices.cards |= 1U << static_cast<unsigned>(entry.device_id);
    else
      devices.beyond_8 = true;
  }
  return servers;
}

// Reports one finding per server, at its first device whose id is too large.
void check_ids(const DeviceIndex& index, int largest, const Rule& rule, GenerationFindings& findings) {
  std::vector<bool> reported(index.servers, false);
  for (const DeviceEntry& entry : index.entries) {
    if (entry.device_id <= largest || reported[entry.server]) continue;
    reported[entry.server] = true;
    findings.report(rule, index.path(entry, "device_id"), index.shown(entry.device_id));
  }
}

void check_equal(const DeviceIndex& index, const std::vector<ServerDevices>& servers, const Rule& rule,
                 GenerationFindings& findings) {
  for (const ServerDevices& devices : servers)
    if (devices.count != servers[0].count)
      return findings.report(
          rule, index.list_path(*devices.first),
          std::to_string(devices.count) + " here and " + std::to_string(servers[0].count) + " on the first");
}

bool are_linked(const ServerDevices& devices) {
  if (devices.beyond_8) return true;
  const int count = std::popcount(devices.cards);
  if (count == 2) return (devices.cards & 0x0FU) == 0 || (devices.cards & 0xF0U) == 0;
  return count != 4 || is_set_of_four(devices.cards);
}

std::string shown_cards(std::uint32_t cards) {
  std::string text;
  for (unsigned card = 0; card < 8; ++card)
    if ((cards >> card & 1U) != 0) text += std::to_string(card);
  return text;
}

void check_910(const DeviceIndex& index, const std::vector<ServerDevices>& servers,
               GenerationFindings findings) {
  check_ids(index, 7, id_to_7, findings);
  for (const ServerDevices& devices : servers) {
    if (devices.count > 8 || !std::has_single_bit(devices.count))
      findings.report(count_910, index.list_path(*devices.first), std::to_string(devices.count));
    if (!are_linked(devices))
      findings.report(linked, index.list_path(*devices.first), shown_cards(devices.cards));
  }
  check_equal(index, servers, equal_servers, findings);
}

void check_a2(const DeviceIndex& index, const std::vector<ServerDevices>& servers,
              GenerationFindings findings) {
  check_ids(index, 15, id_to_15, findings);
  if (servers.size() < 2) return;
  for (const ServerDevices& devices : servers)
    if (devices.count > 8)
      findings.report(count_a2, index.list_path(*devices.first), std::to_string(devices.count));
  check_equal(index, servers, equal_servers_advised, findings);
}

void check_a3(const DeviceIndex& index, const std::vector<ServerDevices>& servers,
              GenerationFindings findings) {
  check_ids(index, 15, id_to_15, findings);
  check_equal(index, servers, equal_servers_advised, findings);
}

// Reports a schema of another generation. Ascend 950 has only version 2.0; of a table of groups HCCL reads
// none.
void check_schema(const DeviceIndex& index, Generation asked_for, Findings& findings) {
  const SchemaForm& form = *index.form;
  if (form.is_of(asked_for)) return;
  const bool wants_version_2 = asked_for == Generation::ascend950 && !form.ranks_are_of_groups;
  const Rule* rule = wants_version_2 ? &version_2 : form.of_other_generations;
  if (rule != nullptr)
    GenerationFindings(asked_for, true, findings)
        .report(*rule, std::string(form.schema_path), in_quotes(form.name));
}

}  // namespace

bool is_set_of_four(std::uint32_t cards) {
  constexpr std::array<std::uint32_t, 8> sets{0x0F, 0xF0, 0x33, 0x55, 0x99, 0x66, 0xAA, 0xCC};
  return std::find(sets.begin(), sets.end(), cards) != sets.end();
}

GenerationFindings::GenerationFindings(Generation generation, bool asked_for, Findings& findings)
    : name_(name_of(generation)), asked_for_(asked_for), findings_(findings) {}

void GenerationFindings::report(const Rule& rule, const std::string& path, const std::string& found) {
  const std::string wanted = std::string(name_) + ": " + std::string(rule.wanted);
  ranktable::report(findings_, {wanted, rule.code, rule.mend, asked_for_ ? rule.severity : Severity::warning},
                    path, found);
}

void check_generations(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (options.generation) check_schema(index, *options.generation, findings);
  if (!index.form->has_servers || is_plain(index)) return;
  const std::vector<ServerDevices> servers = devices_by_server(index);
  if (std::any_of(servers.begin(), servers.end(), [](const ServerDevices& each) { return each.count == 0; }))
    return;
  const auto of = [&](Generation generation) {
    return GenerationFindings(generation, options.generation.has_value(), findings);
  };
  const auto applies = [&](Generation generation) {
    return options.generation ? *options.generation == generation : index.form->is_of(generation);
  };
  if (applies(Generation::ascend910)) check_910(index, servers, of(Generation::ascend910));
  if (applies(Generation::a2)) check_a2(index, servers, of(Generation::a2));
  if (applies(Generation::a3)) check_a3(index, servers, of(Generation::a3));
}

}  // namespace adarun::ranktable
