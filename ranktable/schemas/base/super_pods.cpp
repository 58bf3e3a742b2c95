// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/super_pods.h"

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr const char* pod_list = "super_pod_list";

}  // namespace

// The list of a pod's servers is part of the fact super_pod_id.
void add_super_pod_facts(std::vector<Fact>& facts, const std::string& path,
                         const std::vector<SuperPod>& pods) {
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const SuperPod& pod = pods[i];
    const std::string at = item_path(path + "." + pod_list, i);
    facts.push_back({Topic::super_pod, at + ".super_pod_id", in_quotes(pod.super_pod_id)});
    for (std::size_t j = 0; j < pod.servers.size(); ++j)
      add_facts(facts, Topic::v1_2_field, item_path(at + ".server_list", j), pod.servers[j].extras);
    add_facts(facts, Topic::v1_2_field, at, pod.extras);
  }
}

}  // namespace adarun::ranktable
