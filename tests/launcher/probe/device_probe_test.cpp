// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/device_probe.h"

#include <gtest/gtest.h>

#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"

namespace adarun::launcher {
namespace {

using Names = std::vector<std::string>;

constexpr const char* four_cpus =
    "Name:\tagent\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,5\nMems_allowed:\t1\n";

/// What a node answers.
struct DevicesOfNode {
  Names files = {};
  std::optional<Names> renders = std::nullopt;
  std::string status = four_cpus;

  protocol::Answer answer(const protocol::Query& query) const {
    protocol::Answer answer;
    if (query.path == "/dev") answer.names = files;
    if (query.path == "/proc/self/status") answer.out = status;
    if (query.path != "/dev/dri") return answer;
    if (renders) answer.names = *renders;
    if (!renders) answer.outcome = protocol::Outcome::not_found;
    return answer;
  }
};

// "npu 0 1 5 ", or why the node fails.
std::string found_on(const DevicesOfNode& node, DeviceKind wanted) {
  DeviceProbe probe(wanted);
  try {
    for (auto queries = probe.next(); !queries.empty(); queries = probe.next())
      for (const protocol::Query& query : queries) probe.take(query, node.answer(query));
  } catch (const Error& error) {
    return error.what();
  }
  std::string text = std::string(name_of(probe.kind())) + " ";
  for (const int device : probe.devices()) text += std::to_string(device) + " ";
  return text;
}

TEST(DeviceProbe, TakesTheFirstKindThatANodeHas) {
  const Names npus{"davinci0", "davinci5", "davinci05", "davinci_manager", "null"};
  const Names gpus{"nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia"};
  const Names all{"davinci2", "nvidia0", "kfd"};
  EXPECT_EQ(found_on({npus}, DeviceKind::any), "npu 0 5 ");
  EXPECT_EQ(found_on({gpus}, DeviceKind::any), "gpu 0 1 ");
  EXPECT_EQ(found_on({{"kfd"}, Names{"renderD128", "renderD129", "card0"}}, DeviceKind::any), "gpu 0 1 ");
  EXPECT_EQ(found_on({{"null"}, Names{"renderD128"}}, DeviceKind::any), "cpu 0 1 2 3 ") << "no ROCm";
  EXPECT_EQ(found_on({all}, DeviceKind::any), "npu 2 ");
}

TEST(DeviceProbe, TakesTheKindThatIsWanted) {
  const DevicesOfNode all{{"davinci2", "nvidia0", "nvidia7"}};
  EXPECT_EQ(found_on(all, DeviceKind::npu), "npu 2 ");
  EXPECT_EQ(found_on(all, DeviceKind::gpu), "gpu 0 1 ");
  EXPECT_EQ(found_on(all, DeviceKind::cpu), "cpu 0 1 2 3 ");
}

TEST(DeviceProbe, FailsWithoutDevices) {
  EXPECT_EQ(found_on({}, DeviceKind::npu), "no NPU: no /dev/davinci0 or its like");
  EXPECT_EQ(found_on({}, DeviceKind::gpu),
            "no GPU: no /dev/nvidia0, nor /dev/kfd and /dev/dri/renderD128, or their like");
  for (const char* status :
       {"", "Cpus_allowed_list:\t0\n", "x\nCpus_allowed_list:", "x\nCpus_allowed_list:\t\n",
        "x\nCpus_allowed_list:\t3-1\n", "x\nCpus_allowed_list:\t0-9999999999\n"})
    EXPECT_EQ(found_on({{}, {}, status}, DeviceKind::cpu),
              "its CPUs are unknown: nothing of them in /proc/self/status")
        << status;
}

TEST(DeviceProbe, RefusesMoreThanAHostMayHave) {
  const std::string mend = ": write how many ranks it runs";
  EXPECT_EQ(found_on({{}, {}, "x\nCpus_allowed_list:\t0-4096\n"}, DeviceKind::cpu),
            "more than 4096 CPUs" + mend);
  EXPECT_EQ(found_on({{"davinci4096"}}, DeviceKind::npu), "more than 4096 NPUs" + mend);
  EXPECT_EQ(found_on({{"davinci99999999999"}}, DeviceKind::npu), "no NPU: no /dev/davinci0 or its like");
  Names many;
  for (int gpu = 0; gpu <= 4096; ++gpu) many.push_back("nvidia" + std::to_string(gpu));
  EXPECT_EQ(found_on({many}, DeviceKind::gpu), "more than 4096 GPUs" + mend);
}

TEST(DeviceProbe, PassesOnWhyANodeDoesNotAnswer) {
  DeviceProbe probe(DeviceKind::cpu);
  const std::vector<protocol::Query> queries = probe.next();
  ASSERT_EQ(queries.size(), 1U);
  protocol::Answer answer;
  answer.outcome = protocol::Outcome::failed;
  answer.reason = "/proc/self/status: Permission denied";
  EXPECT_THROW(probe.take(queries[0], answer), Error);
}

}  // namespace
}  // namespace adarun::launcher
