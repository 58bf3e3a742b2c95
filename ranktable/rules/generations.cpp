// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "ranktable/json/quote.h"
#include "ranktable/rings.h"
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
constexpr Rule equal_pods_advised{"equal numbers of servers in all super pods are advised", "",
                                  "take the same number of servers of every super pod", Severity::warning};
constexpr Rule version_2{"has tables of version 2.0", "", "make it one: adarun ranktable convert --to 2.0",
                         Severity::warning};
constexpr Rule takes_version_1{"takes no table of version 2.0, which is Ascend 950's", "EI0014",
                               "make it one of version 1.0: adarun ranktable convert --to 1.0"};
constexpr Rule super_pods_are_a3s{"version 1.2 is for the super pods of A3", "",
                                  "make it a table of version 1.0: adarun ranktable convert --to 1.0",
                                  Severity::warning};
constexpr Rule lab_is_910s{"lab tables are Ascend 910's", "",
                           "make it a table of version 1.0: adarun ranktable convert --to 1.0",
                           Severity::warning};

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

// Findings of one generation, under its name; of errors only warnings are left where it was not asked for.
class Rules {
 public:
  Rules(Generation generation, bool asked_for, Findings& findings)
      : name_(name_of(generation)), asked_for_(asked_for), findings_(findings) {}

  void broken(const Rule& rule, const std::string& path, const std::string& found) {
    const std::string wanted = std::string(name_) + ": " + std::string(rule.wanted);
    report(findings_, {wanted, rule.code, rule.mend, asked_for_ ? rule.severity : Severity::warning}, path,
           found);
  }

 private:
  std::string_view name_;
  bool asked_for_;
  Findings& findings_;
};

// The devices of one server.
struct Devices {
  const Entry* first = nullptr;
  std::size_t count = 0;
  std::uint32_t cards = 0;  ///< Bit i for card i, of cards 0 to 31.
  bool beyond_8 = false;    ///< Whether there is a card that has no bit among the first eight.
};

std::vector<Devices> devices_by_server(const Roster& roster) {
  std::vector<Devices> servers(roster.servers);
  for (const Entry& entry : roster.entries) {
    Devices& devices = servers[entry.server];
    if (devices.first == nullptr) devices.first = &entry;
    ++devices.count;
    if (entry.device_id >= 0 && entry.device_id < 8)
      devices.cards |= 1U << static_cast<unsigned>(entry.device_id);
    else
      devices.beyond_8 = true;
  }
  return servers;
}

// One finding per server, at its first device whose id is too large.
void check_ids(const Roster& roster, int largest, const Rule& rule, Rules& rules) {
  std::vector<bool> reported(roster.servers, false);
  for (const Entry& entry : roster.entries) {
    if (entry.device_id <= largest || reported[entry.server]) continue;
    reported[entry.server] = true;
    rules.broken(rule, roster.path(entry, "device_id"), roster.shown(entry.device_id));
  }
}

void check_equal(const Roster& roster, const std::vector<Devices>& servers, const Rule& rule, Rules& rules) {
  for (const Devices& devices : servers)
    if (devices.count != servers[0].count)
      return rules.broken(
          rule, roster.list_path(*devices.first),
          std::to_string(devices.count) + " here and " + std::to_string(servers[0].count) + " on the first");
}

bool are_linked(const Devices& devices) {
  if (devices.beyond_8) return true;
  const int count = std::popcount(devices.cards);
  if (count == 2) return (devices.cards & 0x0FU) == 0 || (devices.cards & 0xF0U) == 0;
  return count != 4 ||
         std::find(sets_of_four.begin(), sets_of_four.end(), devices.cards) != sets_of_four.end();
}

std::string shown_cards(std::uint32_t cards) {
  std::string text;
  for (unsigned card = 0; card < 8; ++card)
    if ((cards >> card & 1U) != 0) text += std::to_string(card);
  return text;
}

void check_910(const Roster& roster, const std::vector<Devices>& servers, Rules rules) {
  check_ids(roster, 7, id_to_7, rules);
  for (const Devices& devices : servers) {
    if (devices.count > 8 || !std::has_single_bit(devices.count))
      rules.broken(count_910, roster.list_path(*devices.first), std::to_string(devices.count));
    if (!are_linked(devices))
      rules.broken(linked, roster.list_path(*devices.first), shown_cards(devices.cards));
  }
  check_equal(roster, servers, equal_servers, rules);
}

void check_a2(const Roster& roster, const std::vector<Devices>& servers, Rules rules) {
  check_ids(roster, 15, id_to_15, rules);
  if (servers.size() < 2) return;
  for (const Devices& devices : servers)
    if (devices.count > 8)
      rules.broken(count_a2, roster.list_path(*devices.first), std::to_string(devices.count));
  check_equal(roster, servers, equal_servers_advised, rules);
}

void check_a3(const Roster& roster, const std::vector<Devices>& servers, Rules rules) {
  check_ids(roster, 15, id_to_15, rules);
  check_equal(roster, servers, equal_servers_advised, rules);
}

// What is to be said of a schema that another generation has.
void check_schema(const Roster& roster, Generation asked_for, Findings& findings) {
  Rules rules(asked_for, true, findings);
  const bool grouped = roster.schema == Schema::cloud || roster.schema == Schema::lab;
  const std::string path = grouped ? "$" : "$.version";
  const std::string found = in_quotes(ranktable::name(roster.schema));
  if (asked_for == Generation::ascend950) {
    if (roster.schema != Schema::v2_0) rules.broken(version_2, path, found);
    return;
  }
  if (roster.schema == Schema::v2_0) rules.broken(takes_version_1, path, found);
  if (roster.schema == Schema::v1_2 && asked_for != Generation::a3)
    rules.broken(super_pods_are_a3s, path, found);
  if (roster.schema == Schema::lab && asked_for != Generation::ascend910)
    rules.broken(lab_is_910s, path, found);
}

}  // namespace

void check_generations(const Roster& roster, const ValidateOptions& options, Findings& findings) {
  if (options.generation) check_schema(roster, *options.generation, findings);
  if (!roster.has_servers() || is_plain(roster)) return;
  const std::vector<Devices> servers = devices_by_server(roster);
  if (std::any_of(servers.begin(), servers.end(), [](const Devices& each) { return each.count == 0; }))
    return;
  const auto rules = [&](Generation generation) {
    return Rules(generation, options.generation.has_value(), findings);
  };
  const auto applies = [&](Generation generation) {
    if (options.generation) return *options.generation == generation;
    if (roster.schema == Schema::lab) return generation == Generation::ascend910;
    return roster.schema != Schema::v1_2 || generation == Generation::a3;
  };
  if (applies(Generation::ascend910)) check_910(roster, servers, rules(Generation::ascend910));
  if (applies(Generation::a2)) check_a2(roster, servers, rules(Generation::a2));
  if (applies(Generation::a3)) check_a3(roster, servers, rules(Generation::a3));
}

void advise_equal_pods(const Table& table, const ValidateOptions& options, Findings& findings) {
  if (table.version != "1.2" || options.generation.value_or(Generation::a3) != Generation::a3) return;
  Rules rules(Generation::a3, options.generation.has_value(), findings);
  for (std::size_t i = 0; i < table.super_pods.size(); ++i)
    if (table.super_pods[i].servers.size() != table.super_pods[0].servers.size())
      return rules.broken(equal_pods_advised, "$.super_pod_list[" + std::to_string(i) + "].server_list",
                          std::to_string(table.super_pods[i].servers.size()) + " here and " +
                              std::to_string(table.super_pods[0].servers.size()) + " in the first");
}

}  // namespace adarun::ranktable
