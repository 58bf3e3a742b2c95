// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/super_pods.h"

#include <charconv>
#include <cstdint>

#include "ranktable/model/finding.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr std::size_t max_super_pod_id_characters = 127;

constexpr Rule pod_id_is_there{"super_pod_id must not be empty", "EI0014", "write the id of the super pod"};
constexpr Rule pod_id_is_short{"super_pod_id must have at most 127 characters", "EI0014",
                               "write a shorter id"};
constexpr Rule pod_id_is_unique{
    "a super_pod_id must be of one super pod only", "EI0014",
    "join the servers of one super pod in one entry, or give each pod its own id"};
constexpr Rule pod_has_servers{"a super pod must have at least one server", "EI0014",
                               "name its servers, or take the pod out"};
constexpr Rule server_is_in_one{"a server must be in one super pod only", "EI0014",
                                "leave it in the super pod that it is wired to"};
constexpr Rule super_device_is_unique{"a super_device_id must be of one device of its super pod only",
                                      "EI0014",
                                      "write each card's own SDID, as npu-smi info -t spod-info prints it"};

}  // namespace

void check_pod_ids(const std::vector<SuperPod>& pods, const std::string& path, Findings& findings) {
  std::unordered_map<std::string_view, std::size_t> holders;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const std::string& id = pods[i].super_pod_id;
    const std::string at = item_path(path, i) + ".super_pod_id";
    if (id.empty()) report(findings, pod_id_is_there, at, in_quotes(id));
    if (characters(id) > max_super_pod_id_characters) report(findings, pod_id_is_short, at, in_quotes(id));
    check_name(id, at, findings);
    const auto [first, is_new] = holders.emplace(id, i);
    if (!is_new) report_again(findings, pod_id_is_unique, at, in_quotes(id), item_path(path, first->second));
    if (pods[i].servers.empty()) report(findings, pod_has_servers, item_path(path, i) + ".server_list", "");
  }
}

PodsOfServers check_members(const std::vector<SuperPod>& pods, const std::string& path,
                            const std::unordered_set<std::string_view>& servers, const Rule* unknown,
                            Findings& findings) {
  PodsOfServers pods_of_servers;
  for (std::size_t i = 0; i < pods.size(); ++i)
    for (std::size_t j = 0; j < pods[i].servers.size(); ++j) {
      const std::string& id = pods[i].servers[j].server_id;
      const auto at = [&] { return item_path(item_path(path, i) + ".server_list", j) + ".server_id"; };
      if (servers.count(id) == 0) {
        if (unknown != nullptr) report(findings, *unknown, at(), in_quotes(id));
        continue;
      }
      const auto [first, is_new] = pods_of_servers.emplace(id, i);
      if (!is_new)
        report_again(findings, server_is_in_one, at(), in_quotes(id), item_path(path, first->second));
    }
  return pods_of_servers;
}

std::optional<std::uint32_t> super_device_number(const std::string& text) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number == UINT32_MAX) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return number;
}

void check_super_device(std::pair<std::size_t, std::uint32_t> pod_and_id,
                        std::pair<std::size_t, std::size_t> device, const DevicePath& path_of,
                        SuperDeviceHolders& holders, Findings& findings) {
  const auto [first, is_new] = holders.emplace(pod_and_id, device);
  if (is_new) return;
  report_again(findings, super_device_is_unique, path_of(device.first, device.second) + ".super_device_id",
               in_quotes(std::to_string(pod_and_id.second)),
               path_of(first->second.first, first->second.second));
}

// The list of a pod's servers is part of the fact super_pod_id.
void add_super_pod_facts(std::vector<SchemaField>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods) {
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const SuperPod& pod = pods[i];
    const std::string at = item_path(path + ".super_pod_list", i);
    facts.push_back({FieldKind::super_pod, at + ".super_pod_id", in_quotes(pod.super_pod_id)});
    for (std::size_t j = 0; j < pod.servers.size(); ++j)
      add_facts(facts, FieldKind::v1_2_field, item_path(at + ".server_list", j), pod.servers[j].extras);
    add_facts(facts, FieldKind::v1_2_field, at, pod.extras);
  }
}

}  // namespace adarun::ranktable
