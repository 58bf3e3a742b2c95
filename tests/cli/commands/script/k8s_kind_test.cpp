// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/k8s_kind.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"

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
  try {
    values_in_pods(job);
    ADD_FAILURE();
  } catch (const Quit& quit) {
    EXPECT_EQ(quit.status(), exit_no);
    EXPECT_NE(std::string(quit.what()).find("a ConfigMap holds 1 MB"), std::string::npos) << quit.what();
  }
}

}  // namespace
}  // namespace adarun::cli
