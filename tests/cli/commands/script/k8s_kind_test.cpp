// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/k8s_kind.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

ScriptJob job_in_pods() {
  ScriptJob job;
  job.node_count = 2;
  job.tasks_per_node = 2;
  job.images = {"registry/train:1"};
  job.program = {"./train"};
  return job;
}

templates::Values values_in_pods(const ScriptJob& job) {
  LaunchOptions options;
  options.hosts = hosts_of_k8s(job);
  const launcher::Placement placement = place(options);
  templates::Values values = script_values(placement, job);
  complete_k8s(values, placement, job);
  return values;
}

TEST(K8sKind, IsAnIndexedJobOrAJobsetWhereKubernetesChoosesTheNodes) {
  ScriptJob job = job_in_pods();
  EXPECT_STREQ(template_of_k8s(job), "indexed_job.yaml");
  EXPECT_EQ(hosts_of_k8s(job), "adarun-[0-1].adarun:2");
  job.jobset = true;
  EXPECT_STREQ(template_of_k8s(job), "jobset.yaml");
  job = {};
  EXPECT_STREQ(template_of_k8s(job), "job.yaml");
  EXPECT_EQ(hosts_of_k8s(job), "");
}

TEST(K8sKind, HasOneScriptForAllPods) {
  const std::string script = values_in_pods(job_in_pods()).texts.at("run_node");
  EXPECT_NE(script.find("\nrank_start=$((SERVER_ID * 2))\n"), std::string::npos) << script;
  EXPECT_NE(script.find("\nexport MASTER_ADDR=adarun-0.adarun\n"), std::string::npos) << script;
  EXPECT_EQ(script.find("export SERVER_ID"), std::string::npos) << script;
}

TEST(K8sKind, GivesEachPodWhatIsAskedFor) {
  ScriptJob job = job_in_pods();
  EXPECT_TRUE(values_in_pods(job).lists.at("resources").empty());
  job.resources = {"nvidia.com/gpu=4", "memory=64Gi", "nvidia.com/gpu=8"};
  const templates::Values values = values_in_pods(job);
  const std::vector<templates::Values>& limits = values.lists.at("resources").front().lists.at("limits");
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limits[0].texts.at("resource") + limits[0].texts.at("count"), "memory64Gi");
  EXPECT_EQ(limits[1].texts.at("resource") + limits[1].texts.at("count"), "nvidia.com/gpu8");
}

TEST(K8sKind, RefusesAManifestThatNoConfigMapHolds) {
  ScriptJob job = job_in_pods();
  job.node_count = 690;
  job.tasks_per_node = 8;
  const templates::Values values = values_in_pods(job);
  EXPECT_GT(values.texts.at("table").size() + values.texts.at("run_node").size(), 900'000U);
  job.node_count = 800;
  const auto [status, said] = exit_of([&job] { values_in_pods(job); });
  EXPECT_EQ(status, exit_no);
  EXPECT_NE(said.find("a ConfigMap holds 1 MB"), std::string::npos) << said;
}

ScriptJob job_on_pods(int pods, int ranks_of_each) {
  ScriptJob job;
  job.node_count = pods;
  job.tasks_per_node = ranks_of_each;
  job.images = {"registry/train:1"};
  return job;
}

ScriptJob jobset_of_two_roles() {
  ScriptJob job = job_on_pods(3, 2);
  job.jobset = true;
  job.roles = {{"decode", {2, 3, 4, 5}, {"./decode"}}, {"prefill", {0, 1}, {"./prefill"}}};
  return job;
}

std::string refusal_of(const ScriptJob& job) {
  return exit_message([&job] { pod_groups(job); });
}

TEST(PodGroups, AreOneForAJob) {
  const std::vector<PodGroup> wanted{{"ranks", 3, 0, "registry/train:1"}};
  EXPECT_EQ(pod_groups(job_on_pods(3, 8)), wanted);
}

TEST(PodGroups, AreThoseOfTheRolesInTheOrderOfTheirRanks) {
  ScriptJob job = jobset_of_two_roles();
  job.images.emplace_back("decode=registry/decode:2");
  const std::vector<PodGroup> wanted{{"prefill", 1, 0, "registry/train:1"},
                                     {"decode", 2, 1, "registry/decode:2"}};
  EXPECT_EQ(pod_groups(job), wanted);
}

TEST(PodGroups, AreRefusedWhereARoleIsNotWholePods) {
  ScriptJob job = jobset_of_two_roles();
  job.roles = {{"a", {0, 1, 2}, {"x"}}, {"b", {3, 4, 5}, {"y"}}};
  EXPECT_EQ(
      refusal_of(job),
      "--role a: in a JobSet a role has pods of its own: wanted all of 2 ranks of each, one after another");
  job.roles = {{"a", {0, 1, 3, 4}, {"x"}}, {"b", {2, 5}, {"y"}}};
  EXPECT_NE(refusal_of(job), "");
  job.roles = {{"a", {0, 1, 2, 3}, {"x"}}};
  EXPECT_NE(refusal_of(job).find("rank 4 is in no role"), std::string::npos) << refusal_of(job);
}

TEST(PodGroups, TakeNamesThatFitWithWhatKubernetesAdds) {
  ScriptJob job = job_on_pods(10, 1);
  job.jobset = true;
  job.name = std::string(47, 'n');
  EXPECT_EQ(refusal_of(job), "");  // n...-ranks-0-9
  job.node_count = 11;
  EXPECT_EQ(refusal_of(job),
            "--name: a pod's name would be " + job.name + "-ranks-0-10: wanted at most 57 characters");
  job.name = "2runs";
  EXPECT_EQ(refusal_of(job), "--name: \"2runs\": Kubernetes wants a letter first");
}

TEST(HostsOfPods, AreNamesBehindAService) {
  ScriptJob job = job_on_pods(2, 8);
  job.name = "run-3";
  EXPECT_EQ(hosts_of_pods(job), "run-3-[0-1].run-3:8");
  job.tasks_per_node = 22;
  EXPECT_EQ(hosts_of_pods(job), "run-3-[0-1].run-3:0-21") << "which is no port";
  EXPECT_EQ(hosts_of_pods(jobset_of_two_roles()),
            "adarun-prefill-0-[0-0].adarun:2,adarun-decode-0-[0-1].adarun:2");
}

TEST(CheckImage, TakesReferencesAlone) {
  for (const char* text :
       {"train", "registry/train:1", "Registry.example:5000/a/b_c@sha256:0123", "a=registry/train:1"})
    EXPECT_EQ(check_image(text), "") << text;
  for (const char* text : {"", "a b", "-a", "a\nb", "a\"b", "a=", "=a", "a=b=c", "ü", "{a}", "1=a"})
    EXPECT_NE(check_image(text), "") << text;
}

TEST(CheckResource, TakesNamesWithCounts) {
  for (const char* text : {"cpu=16", "memory=64Gi", "nvidia.com/gpu=8", "huawei.com/Ascend910=8", "cpu=0.5",
                           "cpu=500m", "ephemeral-storage=1Gi", "hugepages-2Mi=64Mi"})
    EXPECT_EQ(check_resource(text), "") << text;
  for (const char* text :
       {"", "cpu", "cpu=", "=1", "cpu=-1", "cpu=1 ", "cpu=1\n", "a b=1", "A.b/c=1", "/gpu=1", "cpu=1GB",
        "a/b/c=1", "cpu=1e3", "gpu=8", "hugepages-=1", "nvidia.com/gpu=0.5", "nvidia.com/gpu=8k"})
    EXPECT_NE(check_resource(text), "") << text;
}

}  // namespace

}  // namespace adarun::cli
