// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/super_pods.h"

#include "ranktable/json/path.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr const char* pod_list = "super_pod_list";

SuperPodMember read_member(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  return {fields.text("server_id"), fields.extras()};
}

SuperPod read_super_pod(JsonValue json, const Path& path, Findings& findings) {
  JsonFields fields(json, path, findings);
  SuperPod pod;
  pod.super_pod_id = fields.text("super_pod_id");
  pod.servers = fields.list("server_list", read_member);
  pod.extras = fields.extras();
  return pod;
}

void write_member(JsonWriter& out, const SuperPodMember& member) {
  out.object([&] {
    out.text("server_id", member.server_id);
    out.extras(member.extras);
  });
}

void write_super_pod(JsonWriter& out, const SuperPod& pod) {
  out.object([&] {
    out.text("super_pod_id", pod.super_pod_id);
    out.list("server_list", pod.servers, write_member);
    out.extras(pod.extras);
  });
}

}  // namespace

std::vector<SuperPod> read_super_pods(JsonFields& fields) {
  return fields.optional_list(pod_list, read_super_pod);
}

void write_super_pods(JsonWriter& out, const std::vector<SuperPod>& pods) {
  if (!pods.empty()) out.list(pod_list, pods, write_super_pod);
}

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
