// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/order.h"

#include <algorithm>
#include <limits>
#include <set>

#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"

namespace adarun::ranktable {
namespace {

// Removes and returns the leading run of digits of `text`, or else its first byte.
std::string_view cut_piece(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const std::string_view piece = text.substr(0, std::max<std::size_t>(size, 1));
  text.remove_prefix(piece.size());
  return piece;
}

std::string_view without_zeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return digits;
}

int compare_pieces(std::string_view left, std::string_view right) {
  if (is_digit(left.front()) && is_digit(right.front())) {
    left = without_zeros(left);
    right = without_zeros(right);
    if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  }
  return left.compare(right);
}

bool natural_less(std::string_view left, std::string_view right) {
  const std::string_view whole_left = left;
  const std::string_view whole_right = right;
  while (!left.empty() && !right.empty())
    if (const int order = compare_pieces(cut_piece(left), cut_piece(right)); order != 0) return order < 0;
  if (left.empty() != right.empty()) return left.empty();
  return whole_left < whole_right;
}

bool device_before(const Device& left, const Device& right) {
  return left.rank_id < right.rank_id;
}

int first_rank(const Server& server) {
  return server.devices.empty() ? std::numeric_limits<int>::max() : server.devices.front().rank_id;
}

bool ranks_are_unique(const std::vector<Server>& servers) {
  std::set<int> seen;
  for (const Server& server : servers)
    for (const Device& device : server.devices)
      if (!seen.insert(device.rank_id).second) return false;
  return true;
}

using Position = std::vector<Server>::iterator;

void sort_by_rank(Position first, Position last) {
  std::stable_sort(first, last, [](const Server& left, const Server& right) {
    return first_rank(left) < first_rank(right);
  });
}

std::vector<Server> by_rank(std::span<const MergeInput> inputs) {
  std::vector<Server> servers;
  for (const MergeInput& input : inputs) {
    const auto start = static_cast<std::ptrdiff_t>(servers.size());
    for (Server server : input.table.servers) {
      std::stable_sort(server.devices.begin(), server.devices.end(), device_before);
      servers.push_back(std::move(server));
    }
    sort_by_rank(servers.begin() + start, servers.end());
  }
  if (ranks_are_unique(servers)) sort_by_rank(servers.begin(), servers.end());
  return servers;
}

}  // namespace

bool numeric_less(std::string_view left, std::string_view right) {
  const auto left_address = parse_address(left);
  const auto right_address = parse_address(right);
  if (left_address && right_address) return *left_address < *right_address;
  if (left_address || right_address) return left_address.has_value();
  return natural_less(left, right);
}

std::vector<Server> ordered_servers(std::span<const MergeInput> inputs, Order order) {
  if (order == Order::rank) return by_rank(inputs);
  std::vector<Server> servers;
  for (const MergeInput& input : inputs)
    servers.insert(servers.end(), input.table.servers.begin(), input.table.servers.end());
  if (order == Order::given) return servers;
  std::stable_sort(servers.begin(), servers.end(), [order](const Server& left, const Server& right) {
    return order == Order::numeric ? numeric_less(left.server_id, right.server_id)
                                   : left.server_id < right.server_id;
  });
  return servers;
}

}  // namespace adarun::ranktable
