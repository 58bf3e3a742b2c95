// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "temp_folder.h"
#include "trainer/callbacks/checkpointer.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/error.h"
#include "trainer/one_rank.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::TempFolder;

const Facts facts = {{"model", "lenet5"}, {"number of ranks", "4"}};
const Moment moment = {3, 17, 251, 512, 7};

/// What reading `file` into three and two floats is refused with.
std::string refusal(const fs::path& file, const Facts& wanted = facts) {
  std::vector<float> three(3);
  std::vector<float> two(2);
  try {
    read_checkpoint(file, wanted, {three, two});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

fs::path write(const TempFolder& folder) {
  const std::vector<float> three = {1, 2, 3};
  const std::vector<float> two = {-0.0F, 1e-40F};
  write_checkpoint(folder.path() / "a", facts, moment, {three, two});
  return folder.path() / "a";
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CheckpointFile, ComesBackToTheBit) {
  const TempFolder folder;
  const fs::path file = write(folder);
  std::vector<float> three(3);
  std::vector<float> two(2);
  EXPECT_EQ(read_checkpoint(file, facts, {three, two}), moment);
  EXPECT_EQ(three, (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(std::signbit(two[0]));
  EXPECT_EQ(two[1], 1e-40F);
  EXPECT_FALSE(fs::exists(file.string() + ".unfinished"));
}

TEST(CheckpointFile, IsRefusedWhereverItIsTorn) {
  const TempFolder folder;
  const std::string whole = contents(write(folder));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = refusal(folder.write("cut", whole.substr(0, size)));
    ASSERT_NE(message.find("cut: torn: its end is missing"), std::string::npos) << size << ": " << message;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    ASSERT_NE(refusal(folder.write("flipped", flipped)), "accepted") << at;
  }
  EXPECT_NE(refusal(folder.write("long", whole + "x")), "accepted");
}

TEST(CheckpointFile, IsRefusedWhereItIsForeignWithTheReason) {
  const TempFolder folder;
  const fs::path file = write(folder);
  EXPECT_EQ(refusal(file, {{"model", "mlp"}}),
            file.string() + ": a checkpoint of another job: its model is lenet5, this one's is mlp");
  EXPECT_NE(refusal(folder.write("text", "these are the notes of another program")).find("not a checkpoint"),
            std::string::npos);
  std::vector<float> one(1);
  EXPECT_THROW(read_checkpoint(file, facts, {one}), Error);
  EXPECT_NE(refusal(folder.path() / "absent").find("cannot be opened"), std::string::npos);
}

class OneRanks : public testing::Test {
 protected:
  void save(std::int64_t steps, float value) {
    const std::vector<float> values = {value};
    checkpoints.save({1, static_cast<int>(steps)}, steps, {values});
  }

  TempFolder folder;
  OneRank alone;
  Checkpoints checkpoints{folder.path() / "kept", facts, Ownership::shared, alone};
};

TEST_F(OneRanks, CheckpointsAreReadFromTheLatest) {
  std::vector<float> values(1);
  EXPECT_FALSE(checkpoints.load({values}));
  save(9, 1);
  save(10, 2);
  EXPECT_EQ(checkpoints.load({values})->step, 10);
  EXPECT_EQ(values[0], 2);
}

TEST_F(OneRanks, CheckpointsKeepTheTwoNewestAndLeaveNothingElse) {
  for (std::int64_t steps = 8; steps < 14; ++steps) save(steps, 1);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path() / "kept"))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{"latest", "step_000000000012.rank_0", "step_000000000013.rank_0"}));
}

TEST_F(OneRanks, CheckpointThatWasNotFinishedIsPassedBy) {
  save(9, 1);
  // The next one's file is there, but nothing says that all ranks have theirs.
  fs::copy_file(folder.path() / "kept/step_000000000009.rank_0",
                folder.path() / "kept/step_000000000018.rank_0");
  std::vector<float> values(1);
  EXPECT_EQ(checkpoints.load({values})->step, 9);
}

/// At which steps of ten a checkpoint is written, and whether the training was stopped.
struct Written {
  std::vector<int> steps;
  bool stopped = false;
};

Written steps_of(const CheckpointTimes& times, const std::function<bool(int)>& together, int stop_at) {
  OneRank alone;
  Written written;
  int step = 0;
  Checkpointer checkpointer(
      alone, times, [&] { return together(step); },
      [&](const Progress& at) { written.steps.push_back(at.step); }, [&] { return step >= stop_at; });
  try {
    for (step = 1; step <= 10; ++step) checkpointer.step_end({1, step, 0.5F});
  } catch (const Stopped& stopped) {
    written.stopped = true;
    EXPECT_EQ(stopped.at.step, step);
  }
  return written;
}

bool always(int /*step*/) {
  return true;
}
bool at_even(int step) {
  return step % 2 == 0;
}

TEST(Checkpointer, CallsEverySoManySteps) {
  EXPECT_EQ(steps_of({4, 0}, always, 99).steps, (std::vector<int>{4, 8}));
  EXPECT_TRUE(steps_of({0, 0}, always, 99).steps.empty());
}

TEST(Checkpointer, WaitsUntilRanksAreTogether) {
  EXPECT_EQ(steps_of({3, 0}, at_even, 99).steps, (std::vector<int>{4, 8}));
}

TEST(Checkpointer, StopsAfterACheckpointWhereARankIsAskedTo) {
  // The first talk comes after the first step.
  const Written written = steps_of({0, 0}, at_even, 1);
  EXPECT_TRUE(written.stopped);
  EXPECT_EQ(written.steps, (std::vector<int>{2}));
}

TEST(Checkpointer, CallsWhereTheTimeIsOver) {
  EXPECT_FALSE(steps_of({0, 1e-12}, always, 99).steps.empty());
}

}  // namespace
}  // namespace adarun::trainer
