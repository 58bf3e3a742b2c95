// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/merge.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/shell_word.h"
#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/schemas/base/conversion.h"

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

namespace {

// The servers of all tables in the given order; for Order::rank, devices are also sorted by rank.
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

void require_content(const MergeInput& input) {
  if (input.table.servers.empty()) throw Error(input.name + ": has no servers");
  for (const Server& server : input.table.servers)
    if (server.devices.empty())
      throw Error(input.name + ": server " + printable(server.server_id) + " has no devices");
}

[[noreturn]] void refuse_twice(const std::string& thing, const MergeInput& before, const MergeInput& again) {
  std::string message = &before == &again ? again.name + ": has " + thing + " twice"
                                          : before.name + " and " + again.name + ": both have " + thing;
  for (const std::string& name : {before.name, again.name})
    if (is_merged_name(std::filesystem::path(name).filename().string()))
      message += " (" + name + " looks like the result of an earlier merge: leave it out)";
  throw Error(message);
}

void require_distinct_servers(std::span<const MergeInput> inputs) {
  std::unordered_map<std::string_view, const MergeInput*> holders;
  for (const MergeInput& input : inputs) {
    for (const Server& server : input.table.servers) {
      const auto [before, is_new] = holders.emplace(server.server_id, &input);
      if (!is_new) refuse_twice("server " + printable(server.server_id), *before->second, input);
    }
  }
}

void require_distinct_addresses(std::span<const MergeInput> inputs) {
  std::unordered_map<Address, const MergeInput*, AddressHash> holders;
  for (const MergeInput& input : inputs) {
    for (const Server& server : input.table.servers) {
      for (const Device& device : server.devices) {
        const std::optional<Address> address = parse_address(device.device_ip);
        if (!address) continue;
        const auto [before, is_new] = holders.emplace(*address, &input);
        if (!is_new) refuse_twice("the card address " + canonical(*address), *before->second, input);
      }
    }
  }
}

void require_one_kind(std::span<const MergeInput> inputs) {
  const bool plain_first = is_plain(inputs.front().table);
  for (const MergeInput& input : inputs)
    if (is_plain(input.table) != plain_first)
      throw Error((plain_first ? inputs.front() : input).name + ": has no card addresses, but " +
                  (plain_first ? input : inputs.front()).name + " has");
}

void warn_of_input(const MergeInput& input, std::vector<std::string>& warnings) {
  const Table& table = input.table;
  if (table.wrong_server_count)
    warnings.push_back(input.name + ": server_count is " + in_quotes(*table.wrong_server_count) +
                       ", but it has " + std::to_string(table.servers.size()) + ": counted anew");
  if (table.status != "completed")
    warnings.push_back(input.name + ": status is " + in_quotes(table.status) +
                       ", and so is that of the result");
  for (const Extra& extra : table.extras)
    warnings.push_back(input.name + ": field " + in_quotes(extra.name) + " is left out of the result");
}

bool is_sorted_by(const std::vector<Server>& servers, bool (*less)(std::string_view, std::string_view)) {
  return std::is_sorted(servers.begin(), servers.end(), [less](const Server& left, const Server& right) {
    return less(left.server_id, right.server_id);
  });
}

bool lexical_less(std::string_view left, std::string_view right) {
  return left < right;
}

void number_ranks(std::vector<Server>& servers) {
  int next_rank = 0;
  for (Server& server : servers)
    for (Device& device : server.devices) device.rank_id = next_rank++;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The result's name begins differently from the original's, so that a glob for the originals does not match
// it.
std::string conversion(const std::string& file, const std::string& schema, const std::string& option = "") {
  const std::filesystem::path path = file;
  const std::string result = path.parent_path() / (schema + "-" + path.filename().string());
  return "adarun ranktable convert " + base::readable_word(file) + " " + option + "--to " + schema + " -o " +
         base::readable_word(result);
}

void require_one_version(std::span<const MergeInput> inputs) {
  const MergeInput& first = inputs.front();
  for (const MergeInput& input : inputs) {
    if (input.table.version == first.table.version) continue;
    const std::string& older = input.table.version == "1.0" ? input.name : first.name;
    throw Error(first.name + " and " + input.name + ": are of version " + first.table.version + " and " +
                input.table.version + ", wanted one: " + conversion(older, "1.2"));
  }
}

std::string both(const std::string& first, const std::string& second) {
  return first == second ? first + ": " : first + " and " + second + ": ";
}

// A server's entry in a pod, and the file that contains it.
struct PodMembership {
  std::string pod_id;
  SuperPodMember member;
  std::string file;
};

class PodMerger {
 public:
  PodMerger(const std::vector<Server>& servers, std::vector<std::string>& warnings)
      : servers_(servers), warnings_(warnings) {
    for (const Server& server : servers) known_.insert(server.server_id);
  }

  void add(const SuperPod& pod, const std::string& file) {
    const auto [known, is_new] = extras_.emplace(pod.super_pod_id, std::pair(pod.extras, file));
    if (!is_new && known->second.first != pod.extras)
      warnings_.push_back(both(known->second.second, file) + "the fields of super pod " +
                          printable(pod.super_pod_id) + " differ: those of " + known->second.second +
                          " are kept");
    for (const SuperPodMember& member : pod.servers) add(member, pod.super_pod_id, file);
  }

  // The pods, in the order of the servers.
  std::vector<SuperPod> take() {
    PodBuilder pods;
    for (const Server& server : servers_) {
      const auto found = members_.find(server.server_id);
      if (found == members_.end()) continue;
      const std::string& pod_id = found->second.pod_id;
      pods.of(pod_id, extras_.at(pod_id).first).servers.push_back(found->second.member);
      require_new_device_ids(server, found->second);
    }
    return pods.take();
  }

 private:
  void add(const SuperPodMember& member, const std::string& pod_id, const std::string& file) {
    if (known_.count(member.server_id) == 0)
      throw Error(file + ": super pod " + printable(pod_id) + " names server " + printable(member.server_id) +
                  ", which no table has");
    const auto [known, is_new] = members_.emplace(member.server_id, PodMembership{pod_id, member, file});
    if (!is_new && known->second.pod_id != pod_id)
      throw Error(both(known->second.file, file) + "server " + printable(member.server_id) +
                  " is in the super pods " + printable(known->second.pod_id) + " and " + printable(pod_id));
  }

  void require_new_device_ids(const Server& server, const PodMembership& membership) {
    for (const Device& device : server.devices) {
      if (device.super_device_id.empty()) continue;
      const auto [known, is_new] =
          files_.emplace(std::pair(membership.pod_id, device.super_device_id), membership.file);
      if (!is_new)
        throw Error(both(known->second, membership.file) + "super pod " + printable(membership.pod_id) +
                    " would have the super_device_id " + printable(device.super_device_id) + " twice");
    }
  }

  const std::vector<Server>& servers_;
  std::vector<std::string>& warnings_;
  std::set<std::string> known_;
  std::map<std::string, std::pair<std::vector<Extra>, std::string>> extras_;
  std::map<std::string, PodMembership> members_;
  std::map<std::pair<std::string, std::string>, std::string> files_;
};

std::vector<SuperPod> merged_pods(std::span<const MergeInput> inputs, const std::vector<Server>& servers,
                                  std::vector<std::string>& warnings) {
  PodMerger pods(servers, warnings);
  for (const MergeInput& input : inputs)
    for (const SuperPod& pod : input.table.super_pods) pods.add(pod, input.name);
  return pods.take();
}

}  // namespace

Merged merge(std::span<const MergeInput> inputs, Order order) {
  if (inputs.empty()) throw Error("merge: no tables, wanted at least one");
  Merged merged;
  for (const MergeInput& input : inputs) {
    require_content(input);
    warn_of_input(input, merged.warnings);
    if (input.table.status != "completed") merged.table.status = input.table.status;
  }
  require_one_version(inputs);
  require_distinct_servers(inputs);
  require_distinct_addresses(inputs);
  require_one_kind(inputs);
  merged.table.version = inputs.front().table.version;
  std::vector<Server>& servers = merged.table.servers;
  servers = ordered_servers(inputs, order);
  number_ranks(servers);
  merged.table.super_pods = merged_pods(inputs, servers, merged.warnings);
  if (order == Order::given && !is_sorted_by(servers, numeric_less) && !is_sorted_by(servers, lexical_less))
    merged.warnings.push_back(
        "the servers are in the order given, which is neither numeric nor lexical: their ranks are too");
  return merged;
}

std::string merged_name(const Table& table) {
  return "hccl_" + std::to_string(table.servers.size()) + "s_" + std::to_string(device_count(table)) +
         "p.json";
}

bool is_merged_name(const std::string& name) {
  const std::string_view start = "hccl_";
  const std::string_view end = "p.json";
  if (name.rfind(start, 0) != 0 || name.size() < start.size() + end.size()) return false;
  if (name.compare(name.size() - end.size(), end.size(), end) != 0) return false;
  const std::string_view middle(name.data() + start.size(), name.size() - start.size() - end.size());
  const std::size_t mark = middle.find("s_");
  return mark != std::string_view::npos && is_number(middle.substr(0, mark)) &&
         is_number(middle.substr(mark + 2));
}

Table table_to_merge(AnyTable table, const std::string& file) {
  if (Table* v1 = std::get_if<Table>(&table)) return std::move(*v1);
  if (std::holds_alternative<ServerGroupTable>(table))
    throw Error(file + ": a table of schema server_group, wanted 1.0 or 1.2, of one group: " +
                conversion(file, "1.0", "--group ID "));
  throw Error(file + ": a table of schema " + std::string(name(schema_of(table))) +
              ", wanted 1.0 or 1.2: " + conversion(file, "1.0"));
}

}  // namespace adarun::ranktable
