// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/common_fields.h"
#include "ranktable/rules/generations.h"
#include "ranktable/schemas/v1/check.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t max_super_pod_id_characters = 127;

constexpr Rule has_pods{"super_pod_list must have at least one super pod", "EI0014",
                        "name each super pod with its servers, or make it a table of version 1.0"};
constexpr Rule pod_id_is_there{"super_pod_id must not be empty", "EI0014", "write the id of the super pod"};
constexpr Rule pod_id_is_short{"super_pod_id must have at most 127 characters", "EI0014",
                               "write a shorter id"};
constexpr Rule pod_id_is_unique{
    "a super_pod_id must be of one super pod only", "EI0014",
    "join the servers of one super pod in one entry, or give each pod its own id"};
constexpr Rule pod_has_servers{"a super pod must have at least one server", "EI0014",
                               "name its servers, or take the pod out"};
constexpr Rule server_exists{"a super pod must name servers of the server_list alone", "EI0014",
                             "write a server_id of the server_list, or take the server out of the pod"};
constexpr Rule server_is_in_one{"a server must be in one super pod only", "EI0014",
                                "leave it in the super pod that it is wired to"};
constexpr Rule server_is_in_any{"every server must be in a super pod", "EI0014",
                                "name it in the server_list of its super pod"};
constexpr Rule device_is_there{
    "super_device_id must be there in version 1.2", "EI0017",
    "write the card's SDID, as npu-smi info -t spod-info prints it, or make it a table of "
    "version 1.0"};
// HCCL uses 4294967295 for "none".
constexpr Rule device_is_number{"super_device_id must be a decimal number, 0 to 4294967294", "EI0014",
                                "write the card's SDID, as npu-smi info -t spod-info prints it"};
constexpr Rule device_is_unique{"a super_device_id must be of one device of its super pod only", "EI0014",
                                "write each card's own SDID, as npu-smi info -t spod-info prints it"};
constexpr Rule equal_pods_advised{"equal numbers of servers in all super pods are advised", "",
                                  "take the same number of servers of every super pod", Severity::warning};

std::string pod_path(std::size_t pod) {
  return item_path("$.super_pod_list", pod);
}

using ServerNumbers = std::unordered_map<std::string_view, std::size_t>;

void check_pod_ids(const Table& table, Findings& findings) {
  std::unordered_map<std::string_view, std::size_t> holders;
  for (std::size_t i = 0; i < table.super_pods.size(); ++i) {
    const std::string& id = table.super_pods[i].super_pod_id;
    const std::string path = pod_path(i) + ".super_pod_id";
    if (id.empty()) report(findings, pod_id_is_there, path, in_quotes(id));
    if (characters(id) > max_super_pod_id_characters) report(findings, pod_id_is_short, path, in_quotes(id));
    check_name(id, path, findings);
    const auto [holder, is_new] = holders.emplace(id, i);
    if (!is_new)
      report(findings, pod_id_is_unique, path,
             in_quotes(id) + ", which " + pod_path(holder->second) + " has too");
    if (table.super_pods[i].servers.empty())
      report(findings, pod_has_servers, pod_path(i) + ".server_list", "");
  }
}

// Finds the pod of each server, `none` if it has none; reports wrong names in pods.
class ServerPods {
 public:
  explicit ServerPods(const Table& table) : table_(table), pods_(table.servers.size(), none) {
    for (std::size_t i = 0; i < table.servers.size(); ++i) {
      numbers_.emplace(table.servers[i].server_id, i);
      if (table.servers[i].server_id.empty()) all_have_ids_ = false;
    }
  }

  void check(Findings& findings) {
    for (std::size_t i = 0; i < table_.super_pods.size(); ++i)
      for (std::size_t j = 0; j < table_.super_pods[i].servers.size(); ++j) join(i, j, findings);
    for (std::size_t i = 0; i < pods_.size(); ++i)
      if (pods_[i] == none && !table_.super_pods.empty() && !table_.servers[i].server_id.empty())
        report(findings, server_is_in_any, path_of(i) + ".server_id", in_quotes(table_.servers[i].server_id));
  }

  std::optional<std::size_t> pod_of(std::size_t server) const {
    return pods_[server] == none ? std::optional<std::size_t>() : pods_[server];
  }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  void join(std::size_t pod, std::size_t member, Findings& findings) {
    const std::string& id = table_.super_pods[pod].servers[member].server_id;
    const std::string path = item_path(pod_path(pod) + ".server_list", member) + ".server_id";
    const auto number = numbers_.find(id);
    if (number == numbers_.end()) {
      if (all_have_ids_) report(findings, server_exists, path, in_quotes(id));
      return;
    }
    std::size_t& its_pod = pods_[number->second];
    if (its_pod != none)
      report(findings, server_is_in_one, path, in_quotes(id) + ", which " + pod_path(its_pod) + " has too");
    else
      its_pod = pod;
  }

  const Table& table_;
  ServerNumbers numbers_;
  std::vector<std::size_t> pods_;
  bool all_have_ids_ = true;  ///< If false, a pod may name a server whose id could not be read.
};

std::optional<std::uint32_t> super_device_number(const std::string& text) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number == UINT32_MAX) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return number;
}

void check_super_device_ids(const Table& table, const ServerPods& membership, Findings& findings) {
  using PodAndId = std::pair<std::size_t, std::uint32_t>;
  std::map<PodAndId, std::pair<std::size_t, std::size_t>> holders;
  for (std::size_t i = 0; i < table.servers.size(); ++i)
    for (std::size_t j = 0; j < table.servers[i].devices.size(); ++j) {
      const std::string& id = table.servers[i].devices[j].super_device_id;
      const auto number = super_device_number(id);
      if (!number) {
        report(findings, id.empty() ? device_is_there : device_is_number, path_of(i, j) + ".super_device_id",
               id.empty() ? "" : in_quotes(id));
        continue;
      }
      const auto pod = membership.pod_of(i);
      if (!pod) continue;
      const auto [holder, is_new] = holders.emplace(PodAndId{*pod, *number}, std::pair{i, j});
      if (!is_new)
        report(
            findings, device_is_unique, path_of(i, j) + ".super_device_id",
            in_quotes(id) + ", which " + path_of(holder->second.first, holder->second.second) + " has too");
    }
}

}  // namespace

void check_super_pods(const Table& table, Findings& findings) {
  if (table.version != "1.2") return;
  if (table.super_pods.empty()) report(findings, has_pods, "$.super_pod_list", "");
  check_pod_ids(table, findings);
  ServerPods membership(table);
  membership.check(findings);
  check_super_device_ids(table, membership, findings);
}

void advise_equal_pods(const Table& table, const ValidateOptions& options, Findings& findings) {
  if (table.version != "1.2" || options.generation.value_or(Generation::a3) != Generation::a3) return;
  const std::vector<SuperPod>& pods = table.super_pods;
  const auto other = std::find_if(pods.begin(), pods.end(), [&pods](const SuperPod& pod) {
    return pod.servers.size() != pods.front().servers.size();
  });
  if (other == pods.end()) return;
  GenerationFindings(Generation::a3, options.generation.has_value(), findings)
      .report(equal_pods_advised, pod_path(static_cast<std::size_t>(other - pods.begin())) + ".server_list",
              std::to_string(other->servers.size()) + " here and " +
                  std::to_string(pods.front().servers.size()) + " in the first");
}

}  // namespace adarun::ranktable
