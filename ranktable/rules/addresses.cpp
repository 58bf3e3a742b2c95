// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <unordered_map>

#include "ranktable/model/address.h"
#include "ranktable/model/quote.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_plain_table{"HCCL does not take a table without a device_ip throughout (a plain table)",
                              "EI0014",
                              "for HCCL make the table on servers with cards: adarun ranktable gen; "
                              "adarun launch takes it as it is",
                              Severity::note};
constexpr Rule may_be_plain{"HCCL takes a table without any device_ip on a single A2 or A3 server alone", "",
                            "", Severity::note};
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

// HCCL accepts devices without an address if all are on one server, but not on Ascend 910.
bool may_be_without(const DeviceIndex& index, const ValidateOptions& options) {
  return index.servers == 1 && (options.generation == Generation::a2 || options.generation == Generation::a3);
}

void check_plain(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (may_be_without(index, options)) return report(findings, may_be_plain, index.root_path(), "");
  Rule rule = is_plain_table;
  if (options.profile == Profile::hccl) rule.severity = Severity::error;
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

// The addresses checked so far.
struct Seen {
  std::unordered_map<Address, const DeviceEntry*, AddressHash> holders;
  std::optional<AddressFamily> family;
};

void check_against(Seen& seen, const Address& address, const DeviceIndex& index, const DeviceEntry& entry,
                   Findings& findings) {
  const auto [holder, is_new] = seen.holders.emplace(address, &entry);
  if (!is_new)
    report(findings, is_unique, index.path(entry, "device_ip"),
           in_quotes(canonical(address)) + ", which " + index.path(*holder->second) + " has too");
  if (!seen.family) seen.family = address.family;
  if (*seen.family != address.family)
    report(findings, is_of_one_family, index.path(entry, "device_ip"),
           in_quotes(canonical(address)) + ", while the first is " +
               (*seen.family == AddressFamily::ipv4 ? "IPv4" : "IPv6"));
}

}  // namespace

void check_addresses(const DeviceIndex& index, const ValidateOptions& options, Findings& findings) {
  if (is_plain(index)) return check_plain(index, options, findings);
  Seen seen;
  seen.holders.reserve(index.entries.size());
  for (const DeviceEntry& entry : index.entries)
    if (const auto address = checked_address(index, entry, options, findings))
      check_against(seen, *address, index, entry, findings);
}

}  // namespace adarun::ranktable
