// SPDX-License-Identifier: Apache-2.0
#include "ranktable/gen.h"

#include <optional>
#include <utility>

#include "ranktable/address.h"
#include "ranktable/error.h"
#include "ranktable/json/quote.h"
#include "ranktable/plain.h"
#include "ranktable/rules/limits.h"

namespace adarun::ranktable {
namespace {

bool in_one_ring(const DeviceRange& range) {
  return range.first / 4 == (range.end - 1) / 4;
}

bool whole_servers(const DeviceRange& range) {
  return range.first % 8 == 0 && range.end % 8 == 0;
}

void require_rings(const DeviceRange& range) {
  if (in_one_ring(range) || whole_servers(range)) return;
  throw Error("device_num " + to_string(range) +
              ": must be in the same group of [0,4] or [4,8], or be [0,8), as the rings of Ascend 910 are");
}

// The physical ids without the rule of rings.
std::vector<int> physical_ids(const GenOptions& options) {
  const bool listed = !options.visible_devices.empty();
  if (listed && options.devices.end > static_cast<int>(options.visible_devices.size()))
    throw Error("device_num " + to_string(options.devices) + ": visible_devices lists " +
                std::to_string(options.visible_devices.size()) + " devices, wanted at least " +
                std::to_string(options.devices.end));
  std::vector<int> ids;
  for (int logical = options.devices.first; logical < options.devices.end; ++logical)
    ids.push_back(listed ? options.visible_devices[static_cast<std::size_t>(logical)] : logical);
  return ids;
}

Address address_of(int card, const CardAddresses& addresses) {
  const auto found = addresses.find(card);
  if (found == addresses.end() || found->second.empty() || is_placeholder(found->second))
    throw Error("card " + std::to_string(card) + ": has no address");
  const std::optional<Address> address = parse_address(found->second);
  if (!address)
    throw Error("card " + std::to_string(card) + ": found " + in_quotes(found->second) +
                ", wanted an IPv4 or IPv6 address");
  return *address;
}

}  // namespace

std::vector<int> physical_devices(const GenOptions& options) {
  if (options.rings == Rings::of_four) require_rings(options.devices);
  return physical_ids(options);
}

Table generate(const GenOptions& options, const CardAddresses& addresses) {
  require_server_id(options.server_id);
  Server server{options.server_id, "reserve", {}};
  std::map<Address, int> seen;
  for (const int card : physical_devices(options)) {
    const Address address = address_of(card, addresses);
    const auto [other, is_new] = seen.emplace(address, card);
    if (!is_new)
      throw Error("cards " + std::to_string(other->second) + " and " + std::to_string(card) +
                  ": have the same address " + canonical(address));
    if (seen.begin()->first.family != address.family || seen.rbegin()->first.family != address.family)
      throw Error("card " + std::to_string(card) + ": has " + canonical(address) +
                  ", wanted one family of addresses, IPv4 or IPv6, for all cards");
    server.devices.push_back({card, canonical(address), static_cast<int>(server.devices.size())});
  }
  Table table;
  table.servers.push_back(std::move(server));
  return table;
}

Table generate_plain(const GenOptions& options) {
  const PlainNode nodes[] = {{options.server_id, physical_ids(options)}};
  return plain(nodes);
}

std::string file_name(const GenOptions& options) {
  if (options.server_id.find('/') != std::string::npos)
    throw Error("server_id " + in_quotes(options.server_id) + ": cannot be part of a file name");
  std::string name = "hccl_" + std::to_string(options.devices.count()) + "p_";
  for (int logical = options.devices.first; logical < options.devices.end; ++logical)
    name += std::to_string(logical);
  return name + "_" + options.server_id + ".json";
}

}  // namespace adarun::ranktable
