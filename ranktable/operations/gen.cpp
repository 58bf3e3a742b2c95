// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/gen.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "ranktable/model/address.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/rules.h"

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

std::string joined(const std::vector<int>& ids, const char* separator) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : separator) + std::to_string(id);
  return text;
}

// `ids` must be sorted.
bool are_set_of_four(const std::vector<int>& ids) {
  if (ids.front() < 0 || ids.back() > 7) return false;
  std::uint32_t cards = 0;
  for (const int id : ids) cards |= 1U << static_cast<unsigned>(id);
  return is_set_of_four(cards);
}

// A list follows the same rule as a range, and may also be one of the sets of four that no range can express.
void require_rings(std::vector<int> ids) {
  const std::string text = joined(ids, ",");
  std::sort(ids.begin(), ids.end());
  const DeviceRange span{ids.front(), ids.back() + 1};
  const bool gapless = span.count() == static_cast<int>(ids.size());
  if (in_one_ring(span) || (gapless && whole_servers(span)) || are_set_of_four(ids)) return;
  throw Error(
      "devices " + text +
      ": must be in the same group of [0,4] or [4,8], be whole eights, or be one of 0145, 0246, 0347, "
      "1256, 1357, 2367, as the rings of Ascend 910 are");
}

// The ids used in file names: the logical ids, or those of the list.
std::vector<int> named_ids(const GenOptions& options) {
  if (!options.listed.empty()) return options.listed;
  std::vector<int> ids(static_cast<std::size_t>(options.devices.count()));
  std::iota(ids.begin(), ids.end(), options.devices.first);
  return ids;
}

// The physical ids, without the check for rings.
std::vector<int> physical_ids(const GenOptions& options) {
  if (!options.listed.empty()) return options.listed;
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
  if (options.rings == Rings::of_four && options.listed.empty()) require_rings(options.devices);
  if (options.rings == Rings::of_four && !options.listed.empty()) require_rings(options.listed);
  return physical_ids(options);
}

Table generate(const GenOptions& options, const CardAddresses& addresses) {
  require_server_id(options.server_id);
  Server server{options.server_id, reserved_host_nic_ip, {}};
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
  const std::vector<int> ids = named_ids(options);
  return "hccl_" + std::to_string(ids.size()) + "p_" + joined(ids, "") + "_" + options.server_id + ".json";
}

namespace {

constexpr std::size_t longest_host_name = 253;  // RFC 1035 without the last dot

Server plain_server(const PlainNode& node, int& next_rank) {
  if (node.device_ids.empty()) throw Error("server " + node.server_id + ": no devices, wanted at least one");
  Server server{node.server_id, reserved_host_nic_ip, {}};
  std::set<int> seen;
  for (const int device_id : node.device_ids) {
    if (device_id < 0 || !seen.insert(device_id).second)
      throw Error("server " + node.server_id + ": device_id " + std::to_string(device_id) +
                  (device_id < 0 ? " is negative" : " comes twice"));
    server.devices.push_back({device_id, "", next_rank++});
  }
  return server;
}

}  // namespace

Table plain(std::span<const PlainNode> nodes) {
  if (nodes.empty()) throw Error("rank table: no servers, wanted at least one");
  Table table;
  std::set<std::string> seen;
  int next_rank = 0;
  for (const PlainNode& node : nodes) {
    require_server_id(node.server_id, longest_host_name);
    if (!seen.insert(node.server_id).second) throw Error("server " + node.server_id + " comes twice");
    table.servers.push_back(plain_server(node, next_rank));
  }
  return table;
}

}  // namespace adarun::ranktable
