// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "adasum/peers/thread_peers.h"
#include "temp_folder.h"
#include "trainer/callbacks/checkpointer.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/checkpoint/run_id.h"
#include "trainer/error.h"
#include "trainer/one_rank.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::TempFolder;

const Origin origin = {"r-1", {{"model", "lenet5"}, {"number of ranks", "4"}}};
const Claim first = {Resume::never, "r-1"};
const Moment moment = {3, 17, 251, 512, 7};

/// What reading `file` into three and two floats is refused with.
std::string refusal(const fs::path& file, const Origin& wanted = origin) {
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
  write_checkpoint(folder.path() / "a", origin, moment, {three, two});
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
  EXPECT_EQ(read_checkpoint(file, origin, {three, two}), (Recorded{moment, {}}));
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

// As of models without running means, and of optimizers that remember nothing.
TEST(CheckpointFile, IsRefusedWhereverItIsDamagedBesideEmptyTensors) {
  const TempFolder folder;
  std::vector<float> two = {1, 2};
  std::vector<float> last = {3};
  write_checkpoint(folder.path() / "a", origin, moment, {two, {}, last, {}});
  EXPECT_EQ(read_checkpoint(folder.path() / "a", origin, {two, {}, last, {}}).moment, moment);
  const std::string whole = contents(folder.path() / "a");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(read_checkpoint(folder.write("flipped", flipped), origin, {two, {}, last, {}}), Error) << at;
  }
  EXPECT_EQ(two, (std::vector<float>{1, 2})) << "what is damaged was read";
}

TEST(CheckpointFile, IsRefusedWhereItsChecksumLeftValuesOut) {
  const TempFolder folder;
  std::string old = contents(write(folder));
  old[old.find(" 2\n") + 1] = '1';
  EXPECT_NE(refusal(folder.write("old", old)).find("old: of an adarun whose checksum left weights out"),
            std::string::npos);
}

TEST(CheckpointFile, IsRefusedWhereItIsForeignWithTheReason) {
  const TempFolder folder;
  const fs::path file = write(folder);
  EXPECT_EQ(refusal(file, {"r-1", {{"model", "mlp"}}}),
            file.string() + ": a checkpoint of another job: its model is lenet5, this one's is mlp");
  EXPECT_NE(refusal(folder.write("text", "these are the notes of another program")).find("not a checkpoint"),
            std::string::npos);
  std::vector<float> one(1);
  EXPECT_THROW(read_checkpoint(file, origin, {one}), Error);
  EXPECT_NE(refusal(folder.path() / "absent").find("cannot be opened"), std::string::npos);
}

class OneRanks : public testing::Test {
 protected:
  OneRanks() { checkpoints.begin(first, {}); }

  std::optional<Loaded> resume(std::vector<float>& values) {
    return checkpoints.begin({Resume::always}, {values});
  }

  void save(std::int64_t steps, float value) {
    const std::vector<float> values = {value};
    checkpoints.save({1, static_cast<int>(steps)}, steps, {values});
  }

  TempFolder folder;
  OneRank alone;
  Checkpoints checkpoints{folder.path() / "kept", {"", origin.job}, Ownership::shared, alone};
};

TEST_F(OneRanks, CheckpointsAreReadFromTheLatest) {
  std::vector<float> values(1);
  EXPECT_FALSE(resume(values));
  checkpoints.begin(first, {});
  save(9, 1);
  save(10, 2);
  EXPECT_EQ(resume(values)->moment.step, 10);
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
  EXPECT_EQ(resume(values)->moment.step, 9);
}

/// What another run is told of a folder in which run r-1 has written.
std::string refusal_of(const Claim& claim, const fs::path& folder) {
  OneRank alone;
  Checkpoints other(folder, {"", origin.job}, Ownership::shared, alone);
  std::vector<float> values(1);
  try {
    return other.begin(claim, {values}) ? "goes on" : "begins";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Exit::refused);
    return error.what();
  }
}

TEST_F(OneRanks, FolderIsForTheirRunUnlessTheUserResumes) {
  const fs::path kept = folder.path() / "kept";
  EXPECT_EQ(refusal_of({Resume::of_job, "r-2"}, kept), "begins");
  save(90, 1);
  const std::string refused =
      kept.string() +
      ": has the checkpoints of run r-1: go on from them with --resume, or give another folder";
  EXPECT_EQ(refusal_of({}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::never, "r-1"}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::of_job}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::of_job, "r-2"}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::of_job, "r-1"}, kept), "goes on");
  EXPECT_EQ(refusal_of({Resume::always, "r-2"}, kept), "goes on");
}

TEST_F(OneRanks, LeaveTheFilesOfALongerRunAlone) {
  const fs::path kept = folder.path() / "kept";
  for (const std::int64_t steps : {80, 90}) {
    const std::vector<float> values = {9};
    write_checkpoint(kept / ("step_0000000000" + std::to_string(steps) + ".rank_0"), {"r-0", origin.job},
                     moment, {values});
  }
  for (const std::int64_t steps : {1, 2, 3}) save(steps, static_cast<float>(steps));
  std::vector<float> values(1);
  EXPECT_EQ(resume(values)->moment.step, 3);
  EXPECT_TRUE(fs::exists(kept / "step_000000000080.rank_0"));
  EXPECT_FALSE(fs::exists(kept / "step_000000000001.rank_0"));
}

// To open one would wait for somebody who writes to it.
TEST_F(OneRanks, WaitForNoPipe) {
  const fs::path kept = folder.path() / "kept";
  save(1, 1);
  ASSERT_EQ(::mkfifo((kept / "step_000000000000.rank_0").c_str(), 0600), 0);
  for (const std::int64_t steps : {2, 3}) save(steps, static_cast<float>(steps));
  std::vector<float> values(1);
  EXPECT_EQ(resume(values)->moment.step, 3);
  fs::remove(kept / "latest");
  ASSERT_EQ(::mkfifo((kept / "latest").c_str(), 0600), 0);
  EXPECT_THROW(resume(values), Error);
}

TEST_F(OneRanks, TakeNoFileOfAnotherRunForTheirOwn) {
  save(9, 1);
  save(10, 2);
  const std::vector<float> theirs = {9};
  write_checkpoint(folder.path() / "kept/step_000000000010.rank_0", {"r-0", origin.job}, moment, {theirs});
  std::vector<float> values(1);
  const auto loaded = resume(values);
  EXPECT_EQ(loaded->moment.step, 9);
  EXPECT_NE(loaded->notes[0].find("rank_0: of another run"), std::string::npos);
}

TEST_F(OneRanks, EndWhereAnotherRunHasBegunToWrite) {
  save(9, 1);
  write_latest(folder.path() / "kept", {"r-0", {3}});
  EXPECT_THROW(save(10, 2), Error);
  EXPECT_EQ(contents(folder.path() / "kept/latest"), "run r-0\nstep 3\n");
}

TEST(Settings, ThatDifferAreSaidOnEveryRank) {
  const TempFolder folder;
  const auto begin = [&](adasum::Peers& peers, const Facts& settings) {
    Checkpoints checkpoints(folder.path(), {"", origin.job, settings}, Ownership::shared, peers);
    std::vector<float> values(1);
    const auto loaded = checkpoints.begin({Resume::always}, {values});
    if (!loaded) checkpoints.save({1, 1}, 1, {values});
    return loaded ? loaded->notes : std::vector<std::string>{};
  };
  adasum::run_ranks(2, [&](adasum::Peers& peers) {
    begin(peers, {{"--momentum", "0.9"}, {"--weight-decay", "0"}, {"--device-number", "2"}});
    EXPECT_TRUE(begin(peers, {{"--weight-decay", "0"}, {"--momentum", "0.9"}}).empty());
    EXPECT_EQ(begin(peers, {{"--momentum", "0.5"}, {"--weight-decay", "0"}, {"--device-number", "flat"}}),
              (std::vector<std::string>{
                  "resumed with other settings: --momentum 0.5 (was 0.9), --device-number flat (was 2)"}));
  });
}

TEST(RunId, IsDrawnAnewForEachRun) {
  EXPECT_TRUE(is_run_id(new_run_id()));
  EXPECT_NE(new_run_id(), new_run_id());
  EXPECT_EQ(new_run_id().size(), 32U);
}

TEST_F(OneRanks, TakeTheOneBeforeWhereTheNewestIsDamagedAndSayWhy) {
  save(9, 1);
  save(10, 2);
  const fs::path newest = folder.path() / "kept/step_000000000010.rank_0";
  fs::resize_file(newest, 40);
  std::vector<float> values(1);
  const auto loaded = resume(values);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->moment.step, 9);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(loaded->notes, (std::vector<std::string>{"damaged, the checkpoint before it is taken: " +
                                                     newest.string() + ": torn: its end is missing"}));
  save(10, 3);
  EXPECT_EQ(contents(folder.path() / "kept/latest"), "run r-1\nstep 10\nstep 9\n");
  EXPECT_TRUE(resume(values)->notes.empty());
  EXPECT_EQ(values[0], 3);
}

TEST_F(OneRanks, RefuseToGoOnWhereBothAreDamaged) {
  save(9, 1);
  save(10, 2);
  fs::remove(folder.path() / "kept/step_000000000010.rank_0");
  fs::resize_file(folder.path() / "kept/step_000000000009.rank_0", 40);
  std::vector<float> values(1);
  try {
    resume(values);
    FAIL() << "went on";
  } catch (const Error& error) {
    const std::string kept = (folder.path() / "kept").string();
    EXPECT_EQ(error.what(), kept +
                                "/step_000000000010.rank_0: cannot be opened: No such file or directory; " +
                                kept + "/step_000000000009.rank_0: torn: its end is missing");
  }
}

TEST(Ranks, TakeTheSameCheckpointWhereOneOfThemHasADamagedOne) {
  const TempFolder folder;
  const fs::path kept = folder.path() / "kept";
  adasum::run_ranks(4, [&](adasum::Peers& peers) {
    Checkpoints checkpoints(kept, {"", origin.job}, Ownership::own, peers);
    std::vector<float> values(1);
    checkpoints.begin(first, {});
    for (int step = 1; step <= 2; ++step) {
      values[0] = static_cast<float>(10 * step + peers.rank());
      checkpoints.save({1, step}, step, {values});
    }
    if (peers.rank() == 2) fs::resize_file(kept / "step_000000000002.rank_2", 40);
    const auto loaded = checkpoints.begin({Resume::always}, {values});
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->moment.step, 1);
    EXPECT_EQ(values[0], static_cast<float>(10 + peers.rank()));
    ASSERT_EQ(loaded->notes.size(), 1U);
    EXPECT_NE(loaded->notes[0].find("step_000000000002.rank_2: torn"), std::string::npos);
  });
}

TEST(Ranks, TakeTheOneBeforeWhereTheOneThatTheyShareIsDamaged) {
  const TempFolder folder;
  adasum::run_ranks(3, [&](adasum::Peers& peers) {
    Checkpoints checkpoints(folder.path() / "kept", {"", origin.job}, Ownership::shared, peers);
    std::vector<float> values(1);
    checkpoints.begin(first, {});
    for (int step = 1; step <= 2; ++step) {
      values[0] = static_cast<float>(step);
      checkpoints.save({1, step}, step, {values});
    }
    if (peers.rank() == 0) fs::resize_file(folder.path() / "kept/step_000000000002.rank_0", 40);
    values[0] = 0;
    const auto loaded = checkpoints.begin({Resume::always}, {values});
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->moment.step, 1);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(loaded->notes.size(), 1U);
    values[0] = 3;
    checkpoints.save({1, 2}, 2, {values});
    EXPECT_TRUE(checkpoints.begin({Resume::always}, {values})->notes.empty());
  });
}

TEST(Latest, IsRefusedWhereItSaysAnythingElse) {
  EXPECT_EQ(parse_latest("latest", "run r-1\nstep 40\nstep 30\n"), (Latest{"r-1", {40, 30}}));
  EXPECT_EQ(parse_latest("latest", "run 7\nstep 40\n"), (Latest{"7", {40}}));
  for (const char* steps :
       {"", "step", "step x\n", "step -1\n", "step 40", "step 040\n", "step 1\nstep 2\nstep 3\n",
        "step 99999999999999999999\n", "steps 40\n", "step 40\n\n", "step 40 30\n"}) {
    EXPECT_THROW(parse_latest("latest", "run r-1\n" + std::string(steps)), Error) << steps;
  }
  for (const char* run : {"", "run\n", "run \n", "run a b\n", "run a_b\n", "run \x1b[2J\n", "ran a\n"})
    EXPECT_THROW(parse_latest("latest", run + std::string("step 40\n")), Error) << run;
  EXPECT_THROW(parse_latest("latest", "run " + std::string(65, 'a') + "\nstep 40\n"), Error);
  try {
    parse_latest("latest", "40\n");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("latest: of an adarun whose checksum"), std::string::npos);
  }
}

/// At which steps of ten a checkpoint is written, and whether the training was stopped.
struct Written {
  std::vector<int> steps;
  bool stopped = false;
};

Written steps_of(const CheckpointTimes& times, const std::function<bool(int)>& together, int stop_at,
                 int from = 1) {
  OneRank alone;
  Written written;
  int step = 0;
  Checkpointer checkpointer(
      alone, times, [&] { return together(step); },
      [&](const Progress& at) { written.steps.push_back(at.step); }, [&] { return step >= stop_at; });
  try {
    for (step = from; step <= 10; ++step) checkpointer.step_end({1, step, 0.5F, 0, step});
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

TEST(Checkpointer, CountsStepsFromTheStartOfTheTrainingAndNotFromAResume) {
  EXPECT_EQ(steps_of({4, 0}, always, 99, 6).steps, (std::vector<int>{8}));
}

TEST(Checkpointer, WaitsUntilRanksAreTogether) {
  EXPECT_EQ(steps_of({3, 0}, at_even, 99).steps, (std::vector<int>{4, 6, 10}));
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
