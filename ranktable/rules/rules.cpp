// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/rules.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ranktable/model/address.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_completed{"status must be \"completed\": HCCL waits 30 minutes for it", "EI0014",
                            "wait for what makes the table, or write \"completed\" where it is whole"};
constexpr Rule id_is_there{"server_id must not be empty", "EI0014", "write the server's address or name"};
constexpr Rule id_is_short{"server_id must have at most 64 characters", "EI0014",
                           "write the server's address or a shorter name"};
constexpr Rule id_is_known{"server_id must be an id, not a placeholder", "EI0014",
                           "write the server's address or name"};
constexpr Rule id_is_name{
    "server_id must hold letters, digits and . _ - : % alone, the first none of . - %", "",
    "write the server's address or name: it becomes a host's name, a word of commands and a line of scripts"};
constexpr Rule is_one_line{"a name must hold no control characters", "",
                           "write it without line ends, tabs and their like"};

}  // namespace

void check_status(const std::string& status, const ValidateOptions& options, Findings& findings) {
  if (status == "completed") return;
  Rule rule = is_completed;
  if (status == "initializing" && options.profile != Profile::hccl) rule.severity = Severity::warning;
  report(findings, rule, "$.status", in_quotes(status));
}

void check_server_id(const std::string& server_id, const std::string& path, Findings& findings) {
  const std::string found = in_quotes(server_id);
  if (server_id.empty()) return report(findings, id_is_there, path, found);
  if (characters(server_id) > max_server_id_characters) report(findings, id_is_short, path, found);
  if (is_placeholder(server_id)) return report(findings, id_is_known, path, found);
  if (!is_server_name(server_id)) report(findings, id_is_name, path, found);
}

void check_name(const std::string& text, const std::string& path, Findings& findings) {
  if (has_control_characters(text)) report(findings, is_one_line, path, in_quotes(text));
}

void check_count(const std::optional<std::string>& wrong, std::size_t right, const Rule& rule,
                 const std::string& path, Findings& findings) {
  if (wrong) report(findings, rule, path, in_quotes(*wrong) + ", where there are " + std::to_string(right));
}

namespace {

constexpr Rule id_is_unique{"a device_id must be of one device of its server only", "EI0014",
                            "write each card's own physical id, as npu-smi info lists them"};

}  // namespace

void check_device_ids(const DeviceIndex& index, Findings& findings) {
  assert(index.form->device_id_rule != nullptr);
  const bool plain = is_plain(index);
  std::unordered_map<std::uint64_t, const DeviceEntry*> holders;
  holders.reserve(index.entries.size());
  for (const DeviceEntry& entry : index.entries) {
    if (entry.device_id < 0) continue;
    if (!plain && entry.device_id > index.form->largest_device_id)
      report(findings, *index.form->device_id_rule, index.path(entry, "device_id"),
             index.shown(entry.device_id));
    const auto id = static_cast<std::uint64_t>(entry.device_id);
    const auto [first, is_new] = holders.emplace(std::uint64_t{entry.server} << 32U | id, &entry);
    if (!is_new)
      report_again(findings, id_is_unique, index.path(entry, "device_id"), index.shown(entry.device_id),
                   index.path(*first->second));
  }
}

namespace {

constexpr Rule rank_is_unique{
    "a rank must be of one device only", "EI0014",
    "give every device a rank_id of its own; adarun ranktable merge numbers them anew"};
constexpr Rule ranks_are_contiguous{
    "ranks must be 0 to one less than the number of devices", "EI0014",
    "number the devices 0, 1, 2, ... without a gap; adarun ranktable merge does so"};
constexpr Rule ranks_are_together{
    "ranks of a server must follow one another, without those of another server between them", "EI0014",
    "give the devices of each server consecutive ranks; adarun ranktable merge does so"};

// merge does not take tables of groups.
constexpr Rule group_rank_is_unique{
    "a rank must be of one device of its group only", "EI0014",
    "give every device of the group a rank_id of its own, or make groups anew of the table of all ranks: "
    "adarun ranktable convert --to server_group --role prefill=0-7 ..."};
constexpr Rule group_ranks_are_contiguous{
    "ranks of a group must be 0 to one less than the number of its devices", "EI0014",
    "number the devices of the group 0, 1, 2, ... without a gap, or those of each server"};
constexpr Rule group_ranks_are_together{
    "ranks of a server in a group must follow one another, without those of another server between them",
    "EI0014", "give the devices of each server in the group consecutive ranks"};

const Rule& rule_for(const DeviceIndex& index, const Rule& of_table, const Rule& of_group) {
  return index.form->ranks_are_of_groups ? of_group : of_table;
}

constexpr std::uint32_t nobody = UINT32_MAX;

// The entry of each rank, `nobody` if there is none; reports repeated ranks.
std::vector<std::uint32_t> entries_by_rank(const DeviceIndex& index, Findings& findings) {
  std::vector<std::uint32_t> holders(index.entries.size(), nobody);
  for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
    const DeviceEntry& entry = index.entries[i];
    if (entry.rank_id < 0 || static_cast<std::size_t>(entry.rank_id) >= holders.size()) continue;
    std::uint32_t& holder = holders[static_cast<std::size_t>(entry.rank_id)];
    if (holder == nobody)
      holder = i;
    else
      report_again(findings, rule_for(index, rank_is_unique, group_rank_is_unique), index.rank_path(entry),
                   index.shown(entry.rank_id), index.path(index.entries[holder]));
  }
  return holders;
}

void check_contiguous(const DeviceIndex& index, const std::vector<std::uint32_t>& holders,
                      Findings& findings) {
  const auto gap = std::find(holders.begin(), holders.end(), nobody) - holders.begin();
  for (const DeviceEntry& entry : index.entries)
    if (entry.rank_id >= 0 && static_cast<std::size_t>(entry.rank_id) >= holders.size())
      report(findings, rule_for(index, ranks_are_contiguous, group_ranks_are_contiguous),
             index.rank_path(entry),
             index.shown(entry.rank_id) + " of " + std::to_string(holders.size()) +
                 " devices, while none has rank " + std::to_string(gap));
}

void check_together(const DeviceIndex& index, const std::vector<std::uint32_t>& holders, Findings& findings) {
  std::vector<bool> left(index.servers, false);
  const DeviceEntry* before = nullptr;
  for (const std::uint32_t holder : holders) {
    if (holder == nobody) continue;
    const DeviceEntry& entry = index.entries[holder];
    if (before != nullptr && before->server != entry.server) {
      left[before->server] = true;
      if (left[entry.server])
        report(findings, rule_for(index, ranks_are_together, group_ranks_are_together),
               index.rank_path(entry), index.shown(entry.rank_id));
    }
    before = &entry;
  }
}

}  // namespace

void check_ranks(const DeviceIndex& index, Findings& findings) {
  const std::vector<std::uint32_t> holders = entries_by_rank(index, findings);
  check_contiguous(index, holders, findings);
  check_together(index, holders, findings);
}

namespace {

constexpr Rule is_plain_table{"HCCL does not take a table without a device_ip throughout (a plain table)",
                              "EI0014",
                              "for HCCL make the table on servers with cards: adarun ranktable gen; "
                              "adarun launch takes it as it is",
                              Severity::note};
constexpr Rule may_be_plain{
    "HCCL takes a table without any device_ip on a single A2 or A3 server, or super pod of A3, alone", "", "",
    Severity::note};
constexpr Rule is_there{"device_ip must be there, since other devices have one", "EI0014",
                        "write the card's address, as hccn_tool -i DEVICE_ID -ip -g prints it"};
constexpr Rule is_known{
    "device_ip must be an address, not a placeholder", "EI0014",
    "give the card an address (hccn_tool -i DEVICE_ID -ip -s ...), then make the table anew"};
constexpr Rule is_address{"device_ip must be an IPv4 or IPv6 address", "EI0014",
                          "write the card's address, as hccn_tool -i DEVICE_ID -ip -g prints it"};
constexpr Rule is_unique{"device_ip must be of one device only", "EI0014",
                         "give each card an address of its own, then make the table anew"};
constexpr Rule is_of_one_family{
    "device_ip must be IPv4 throughout or IPv6 throughout", "EI0001",
    "make the table anew with one family: adarun ranktable gen on each server, then merge"};

// HCCL accepts devices without an address if all are on one server, but not on Ascend 910, or in one super
// pod.
bool may_be_without(const DeviceIndex& index, const ValidateOptions& options) {
  const bool is_a3 = options.generation == Generation::a3;
  if (is_a3 && index.super_pods == 1) return true;
  return index.servers == 1 && (is_a3 || options.generation == Generation::a2);
}

// Whether the HCCL that is asked for refuses a table without addresses that is not may_be_without. It reads
// no table of groups. Of A3 without super pods that is not known.
bool refuses_plain(const DeviceIndex& index, const ValidateOptions& options) {
  if (options.profile == Profile::hccl) return true;
  const bool is_older = options.generation == Generation::ascend910 || options.generation == Generation::a2;
  return is_older && !index.form->ranks_are_of_groups;
}

void check_plain(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (may_be_without(index, options)) return report(findings, may_be_plain, index.root_path(), "");
  Rule rule = is_plain_table;
  if (refuses_plain(index, options)) rule.severity = Severity::error;
  report(findings, rule, index.root_path(), "");
}

// The address of a device; reports a missing or invalid one.
std::optional<Address> checked_address(const DeviceIndex& index, const DeviceEntry& entry,
                                       const ValidateOptions& options, Findings& findings) {
  std::optional<Address> address = parse_address(entry.device_ip);
  if (address) return address;
  Rule rule = entry.device_ip.empty() ? is_there : is_placeholder(entry.device_ip) ? is_known : is_address;
  if (entry.device_ip.empty() && may_be_without(index, options)) rule.severity = Severity::warning;
  report(findings, rule, index.path(entry, "device_ip"), in_quotes(entry.device_ip));
  return std::nullopt;
}

}  // namespace

void check_addresses(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (is_plain(index)) return check_plain(index, options, findings);
  std::unordered_map<Address, const DeviceEntry*, AddressHash> holders;
  holders.reserve(index.entries.size());
  std::optional<AddressFamily> family;
  for (const DeviceEntry& entry : index.entries) {
    const std::optional<Address> address = checked_address(index, entry, options, findings);
    if (!address) continue;
    const auto [first, is_new] = holders.emplace(*address, &entry);
    if (!is_new)
      report_again(findings, is_unique, index.path(entry, "device_ip"), in_quotes(canonical(*address)),
                   index.path(*first->second));
    if (!family) family = address->family;
    if (*family != address->family)
      report(findings, is_of_one_family, index.path(entry, "device_ip"),
             in_quotes(canonical(*address)) + ", while the first is " +
                 (*family == AddressFamily::ipv4 ? "IPv4" : "IPv6"));
  }
}

std::optional<std::string> adasum_refusal(std::size_t world_size) {
  if (world_size >= 16 && std::has_single_bit(world_size)) return std::nullopt;
  return "The device_num must be at least 16 and must be the power of 2 when applying adasum.";
}

void check_profile(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (options.profile != Profile::adasum) return;
  if (const auto refusal = adasum_refusal(index.entries.size()))
    report(findings,
           {*refusal, "", "take 16, 32, 64, ... devices; for an experiment: adarun train --adasum-world any"},
           index.root_path(), std::to_string(index.entries.size()) + " devices");
}

}  // namespace adarun::ranktable
