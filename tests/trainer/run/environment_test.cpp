// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <map>
#include <vector>

#include "tests/trainer/refusal.h"
#include "trainer/run/environment.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;
using Variables = std::map<std::string, std::string>;

Environment read(const Variables& variables) {
  return read_environment([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(Environment, SaysWhichRankThisIs) {
  EXPECT_EQ(read({}), Environment{});
  EXPECT_EQ(read({{"RANK_ID", "3"}, {"RANK_SIZE", "16"}, {"DEVICE_ID", "5"}, {"RANK_TABLE_FILE", "t.json"}}),
            (Environment{3, 16, 5, "t.json"}));
  EXPECT_EQ(read({{"RANK_SIZE", "1"}}), Environment{});
  EXPECT_EQ(read({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}),
            (Environment{2, 4, {}, ""}));
  EXPECT_EQ(read({{"RANK_ID", "1"}, {"RANK_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}}),
            (Environment{1, 2, {}, ""}));
}

TEST(Environment, SaysWhichServerThisIsAndHowManyDevicesItHas) {
  EXPECT_EQ(read({{"SERVER_ID", "1"}, {"DEVICE_NUM", "8"}}), (Environment{0, 1, {}, "", 1, 8}));
}

TEST(Environment, SaysWhichDeviceIsThisRanks) {
  EXPECT_EQ(read({}).device(), 0);
  EXPECT_EQ(read({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}}).device(), 3);
  EXPECT_EQ(read({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}, {"DEVICE_ID", "5"}}).device(), 5);
}

TEST(Environment, TakesTheOlderNameOfTheTable) {
  EXPECT_EQ(read({{"MINDSPORE_HCCL_CONFIG_PATH", "lab.json"}}).table_file, "lab.json");
  EXPECT_EQ(read({{"MINDSPORE_HCCL_CONFIG_PATH", "lab.json"}, {"RANK_TABLE_FILE", "t.json"}}).table_file,
            "t.json");
}

TEST(Environment, RefusesWhatIsNoRank) {
  const Variables cases[] = {
      {{"RANK_ID", "3"}},
      {{"RANK_SIZE", "4"}},
      {{"RANK_ID", "4"}, {"RANK_SIZE", "4"}},
      {{"RANK_ID", "-1"}, {"RANK_SIZE", "4"}},
      {{"RANK_ID", "0"}, {"RANK_SIZE", "0"}},
      {{"RANK_ID", "one"}, {"RANK_SIZE", "4"}},
      {{"RANK_ID", "1 "}, {"RANK_SIZE", "4"}},
      {{"RANK_ID", "1"}, {"RANK_SIZE", "99999999999"}},
      {{"DEVICE_ID", "npu0"}},
      {{"SERVER_ID", "10.0.0.1"}},
      {{"DEVICE_NUM", "-8"}},
  };
  for (const Variables& wrong : cases) {
    EXPECT_NE(refusal(Exit::usage, [&] { read(wrong); }), "accepted") << wrong.begin()->first;
  }
}

ranktable::Table two_by_two() {
  ranktable::Table table;
  table.servers = {{"10.0.0.1", "", {{0, "", 0}, {1, "", 1}}}, {"10.0.0.2", "", {{4, "", 2}, {5, "", 3}}}};
  return table;
}

TEST(Environment, AgreesWithATable) {
  EXPECT_NO_THROW(check_table({2, 4, 4, "t.json"}, two_by_two()));
  EXPECT_NO_THROW(check_table({3, 4, {}, "t.json"}, two_by_two()));
  EXPECT_NO_THROW(check_table({1, 4, 1, "t.json", 0, 2}, two_by_two()));
  EXPECT_NO_THROW(check_table({2, 4, 4, "t.json", 1, 2}, two_by_two()));
}

TEST(Environment, SaysWhatATableHasOtherwise) {
  const auto refused = [](const Environment& environment, const ranktable::Table& table = two_by_two()) {
    return refusal(Exit::refused, [&] { check_table(environment, table); });
  };
  EXPECT_EQ(refused({0, 16, 0, "t.json"}),
            "t.json: has 4 devices, but the environment says 16 ranks (RANK_SIZE)");
  EXPECT_EQ(refused({2, 4, 2, "t.json"}), "t.json: rank 2 is device 4 of server 10.0.0.2, but DEVICE_ID=2");
  EXPECT_EQ(refused({2, 4, 4, "t.json", 0, 2}),
            "t.json: rank 2 is on server 1, counted from 0 (10.0.0.2), but SERVER_ID=0");
  EXPECT_EQ(refused({2, 4, 4, "t.json", 1, 8}),
            "t.json: server 10.0.0.2 of rank 2 has 2 devices, but DEVICE_NUM=8");
  ranktable::Table gap = two_by_two();
  gap.servers[1].devices[1].rank_id = 9;
  EXPECT_EQ(refused({3, 4, {}, "t.json"}, gap), "t.json: has no rank 3 (RANK_ID)");
}

TEST(Environment, SaysWhatMpiSeesOtherwise) {
  const Environment environment{3, 16, {}, ""};
  EXPECT_NO_THROW(check_mpi(environment, 3, 16));
  EXPECT_NO_THROW(check_mpi({0, 1, {}, ""}, 0, 1));
  EXPECT_NE(refusal(Exit::refused, [&] { check_mpi(environment, 0, 1); }).find("MPI singleton"),
            std::string::npos);
  EXPECT_NE(refusal(Exit::refused, [&] { check_mpi(environment, 3, 8); }).find("world of 8 ranks"),
            std::string::npos);
  EXPECT_NE(refusal(Exit::refused, [&] { check_mpi(environment, 4, 16); }).find("rank 4"), std::string::npos);
}

struct Chosen {
  std::optional<c10::Device> device;
  std::vector<std::string> lines;
};

Chosen choose(DeviceChoice choice) {
  TrainerOptions options;
  options.device = choice;
  Chosen chosen;
  chosen.device = choose_device(options, 0, [&](const std::string& line) { chosen.lines.push_back(line); });
  return chosen;
}

TEST(Device, IsTheProcessorWithoutAWord) {
  const Chosen chosen = choose(DeviceChoice::cpu);
  EXPECT_FALSE(chosen.device);
  EXPECT_TRUE(chosen.lines.empty());
}

TEST(Device, HasTheNumberOfItsNodeOrIsTheOneThatTheRankSees) {
  EXPECT_EQ(number_of_device(3, 4, std::nullopt), 3U);
  EXPECT_EQ(number_of_device(3, 4, "0,1,2,3"), 3U);
  EXPECT_EQ(number_of_device(3, 1, "3"), 0U);
  EXPECT_EQ(number_of_device(4, 4, std::nullopt), std::nullopt);
  EXPECT_EQ(number_of_device(1, 1, std::nullopt), std::nullopt);
  EXPECT_EQ(number_of_device(0, 0, ""), std::nullopt);
}

/// Where there is no CUDA.
class WithoutCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (torch::cuda::is_available()) GTEST_SKIP() << "libtorch finds CUDA devices here";
  }
};

TEST_F(WithoutCuda, AutoIsTheProcessorAndSaysWhy) {
  const Chosen chosen = choose(DeviceChoice::automatic);
  EXPECT_FALSE(chosen.device);
  ASSERT_EQ(chosen.lines.size(), 1U);
  EXPECT_TRUE(chosen.lines[0].starts_with("device: cpu, since ")) << chosen.lines[0];
  EXPECT_NE(chosen.lines[0].find("CUDA"), std::string::npos) << chosen.lines[0];
}

TEST_F(WithoutCuda, CudaIsRefused) {
  const std::string message = refusal(Exit::refused, [] { choose(DeviceChoice::cuda); });
  EXPECT_TRUE(message.starts_with("--device cuda: ")) << message;
  EXPECT_TRUE(message.ends_with(": wanted --device cpu or auto")) << message;
}

}  // namespace

}  // namespace adarun::trainer
