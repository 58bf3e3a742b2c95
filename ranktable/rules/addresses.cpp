// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>

#include "ranktable/address.h"
#include "ranktable/json/json_text.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

void check_plain(const Table& table, const ValidateOptions& options, Findings& findings) {
  const bool later = options.generation == Generation::a2 || options.generation == Generation::a3;
  const bool taken = table.servers.size() == 1 && later;
  const Severity severity = options.profile == Profile::hccl && !taken ? Severity::error : Severity::note;
  findings.push_back({severity, "$.server_list",
                      taken ? "no device has a device_ip, which HCCL takes on a single A2 or A3 server"
                            : "no device has a device_ip: a plain table, which HCCL does not take",
                      taken ? "" : "EI0014", ""});
}

// The address of a device; reports where it has none.
std::optional<Address> checked_address(const std::string& text, const std::string& path, Findings& findings) {
  std::optional<Address> address = parse_address(text);
  if (address) return address;
  const char* rule = text.empty()           ? "must be there, since other devices have one"
                     : is_placeholder(text) ? "must be an address, not a placeholder"
                                            : "must be an IPv4 or IPv6 address";
  findings.push_back({Severity::error, path, rule, "EI0014", in_quotes(text)});
  return std::nullopt;
}

// What was seen of the addresses so far.
struct Seen {
  std::map<Address, std::string> paths;
  std::optional<Family> family;
};

void check_against(Seen& seen, const Address& address, const std::string& path, Findings& findings) {
  const auto [other, is_new] = seen.paths.emplace(address, path);
  if (!is_new)
    findings.push_back({Severity::error, path,
                        "must be once in the table, but " + other->second + " is it too", "EI0014",
                        in_quotes(canonical(address))});
  if (seen.family && *seen.family != address.family)
    findings.push_back({Severity::error, path,
                        std::string("must be of the family of the first one, ") +
                            (*seen.family == Family::ipv4 ? "IPv4" : "IPv6"),
                        "EI0001", in_quotes(canonical(address))});
  if (!seen.family) seen.family = address.family;
}

}  // namespace

void check_addresses(const Table& table, const ValidateOptions& options, Findings& findings) {
  if (is_plain(table)) return check_plain(table, options, findings);
  Seen seen;
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::size_t j = 0; j < devices.size(); ++j) {
      const std::string path = path_of(i, j) + ".device_ip";
      if (const auto address = checked_address(devices[j].device_ip, path, findings))
        check_against(seen, *address, path, findings);
    }
  }
}

}  // namespace adarun::ranktable
