// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/super_pods.h"

#include <map>
#include <set>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/model/server_name.h"

namespace adarun::ranktable {
namespace {

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
    std::vector<SuperPod> pods;
    std::map<std::string, std::size_t> places;
    for (const Server& server : servers_) {
      const auto found = members_.find(server.server_id);
      if (found == members_.end()) continue;
      const std::string& pod_id = found->second.pod_id;
      const auto [place, is_new] = places.emplace(pod_id, pods.size());
      if (is_new) pods.push_back({pod_id, {}, extras_.at(pod_id).first});
      pods[place->second].servers.push_back(found->second.member);
      require_new_device_ids(server, found->second);
    }
    return pods;
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

}  // namespace

std::vector<SuperPod> merged_pods(std::span<const MergeInput> inputs, const std::vector<Server>& servers,
                                  std::vector<std::string>& warnings) {
  PodMerger pods(servers, warnings);
  for (const MergeInput& input : inputs)
    for (const SuperPod& pod : input.table.super_pods) pods.add(pod, input.name);
  return pods.take();
}

}  // namespace adarun::ranktable
