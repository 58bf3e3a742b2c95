// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoints.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/as_another_user.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using testing_data::refusal;

Facts job_of(int ranks, const std::string& model = "lenet5") {
  return {{"model", model}, {ranks_fact, std::to_string(ranks)}};
}

const RunIdentity identity = {"r-1", job_of(1)};
const ResumePolicy first = {Resume::never, "r-1"};
const CheckpointState state = {3, 17, {251}, 512, 7};

/// One tensor, whatever the number of ranks.
Checkpoints::Room into(std::vector<float>& values) {
  return [&values](int /*ranks*/) { return std::vector<std::span<float>>{values}; };
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

class OneRanks : public testing::Test {
 protected:
  OneRanks() { checkpoints.begin(first, {}); }

  std::optional<LoadedCheckpoint> resume(std::vector<float>& values) {
    return checkpoints.begin({Resume::always}, into(values));
  }

  void save(std::int64_t steps, float value) {
    const std::vector<float> values = {value};
    checkpoints.save({1, static_cast<int>(steps)}, steps, {values});
  }

  test::ScratchFolder folder;
  SingleProcessCommunicator alone;
  Checkpoints checkpoints{folder.path() / "kept", {"", identity.job}, Ownership::shared, alone};
};

TEST_F(OneRanks, CheckpointsAreReadFromTheLatest) {
  std::vector<float> values(1);
  EXPECT_FALSE(resume(values));
  checkpoints.begin(first, {});
  save(9, 1);
  save(10, 2);
  EXPECT_EQ(resume(values)->state.step, 10);
  EXPECT_EQ(values[0], 2);
}

TEST_F(OneRanks, CheckpointsKeepTheTwoNewestAndLeaveNothingElse) {
  for (std::int64_t steps = 8; steps < 14; ++steps) save(steps, 1);
  EXPECT_EQ(names_in(folder.path() / "kept"),
            (std::vector<std::string>{"latest", "step_000000000012.rank_0", "step_000000000013.rank_0"}));
}

TEST_F(OneRanks, CheckpointsThatWereNotCompletedAreRemoved) {
  const fs::path kept = folder.path() / "kept";
  save(8, 1);
  const std::string digits = "0123456789abcdef0123456789abcdef";
  const fs::path of_run = kept / ("step_000000000009.rank_0." + digits + ".unfinished");
  const fs::path of_other_run = kept / "step_000000000007.rank_0.unfinished";
  fs::copy_file(kept / "step_000000000008.rank_0", of_run);
  const fs::path of_older_version = kept / "step_000000000009.rank_0.unfinished";
  fs::copy_file(of_run, of_older_version);
  write_checkpoint(of_other_run.parent_path() / "other", {"r-2", identity.job}, {}, {});
  fs::rename(kept / "other", of_other_run);
  const fs::path latest = kept / ("latest." + digits + ".unfinished");
  fs::copy_file(kept / "latest", latest);
  folder.write("kept/latest.1" + digits.substr(1) + ".unfinished", "run r-2\nstep 7\n");
  save(10, 1);
  EXPECT_FALSE(fs::exists(latest));
  EXPECT_TRUE(fs::exists(kept / ("latest.1" + digits.substr(1) + ".unfinished")));
  EXPECT_FALSE(fs::exists(of_run));
  EXPECT_FALSE(fs::exists(of_older_version));
  EXPECT_TRUE(fs::exists(of_other_run)) << "it may be about to be completed";
}

TEST(Checkpoints, KeepAsManyAsTheyAreTold) {
  const test::ScratchFolder folder;
  SingleProcessCommunicator alone;
  Checkpoints checkpoints(folder.path(), {"", identity.job}, Ownership::shared, alone, 4);
  checkpoints.begin(first, {});
  const std::vector<float> values = {1};
  for (std::int64_t steps = 1; steps < 8; ++steps)
    checkpoints.save({1, static_cast<int>(steps)}, steps, {values});
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{"latest", "step_000000000004.rank_0", "step_000000000005.rank_0",
                                      "step_000000000006.rank_0", "step_000000000007.rank_0"}));
  EXPECT_EQ(read_latest(folder.path())->steps, (std::vector<std::int64_t>{7, 6}));
}

TEST_F(OneRanks, CheckpointThatWasNotFinishedIsPassedBy) {
  save(9, 1);
  // The next one's file exists, but not all ranks are known to have theirs.
  fs::copy_file(folder.path() / "kept/step_000000000009.rank_0",
                folder.path() / "kept/step_000000000018.rank_0");
  std::vector<float> values(1);
  EXPECT_EQ(resume(values)->state.step, 9);
}

/// The message for another run whose folder has checkpoints of run r-1.
std::string refusal_of(const ResumePolicy& policy, const fs::path& folder) {
  SingleProcessCommunicator alone;
  Checkpoints other(folder, {"", identity.job}, Ownership::shared, alone);
  std::vector<float> values(1);
  std::optional<LoadedCheckpoint> loaded;
  const std::string message = refusal(Exit::refused, [&] { loaded = other.begin(policy, into(values)); });
  return message == "accepted" ? (loaded ? "continues" : "begins") : message;
}

TEST_F(OneRanks, FolderIsForTheirRunUnlessTheUserResumes) {
  const fs::path kept = folder.path() / "kept";
  EXPECT_EQ(refusal_of({Resume::of_job, "r-2"}, kept), "begins");
  save(90, 1);
  const std::string refused =
      kept.string() +
      ": has the checkpoints of run r-1: continue from them with --resume, or give another folder";
  EXPECT_EQ(refusal_of({}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::never, "r-1"}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::of_job}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::of_job, "r-2"}, kept), refused);
  EXPECT_EQ(refusal_of({Resume::of_job, "r-1"}, kept), "continues");
  EXPECT_EQ(refusal_of({Resume::always, "r-2"}, kept), "continues");
}

TEST_F(OneRanks, LeaveTheFilesOfALongerRunAlone) {
  const fs::path kept = folder.path() / "kept";
  for (const std::int64_t steps : {80, 90}) {
    const std::vector<float> values = {9};
    write_checkpoint(kept / ("step_0000000000" + std::to_string(steps) + ".rank_0"), {"r-0", identity.job},
                     state, {values});
  }
  for (const std::int64_t steps : {1, 2, 3}) save(steps, static_cast<float>(steps));
  std::vector<float> values(1);
  EXPECT_EQ(resume(values)->state.step, 3);
  EXPECT_TRUE(fs::exists(kept / "step_000000000080.rank_0"));
  EXPECT_FALSE(fs::exists(kept / "step_000000000001.rank_0"));
}

// Opening it would block until there is a writer.
TEST_F(OneRanks, WaitForNoPipe) {
  const fs::path kept = folder.path() / "kept";
  save(1, 1);
  ASSERT_EQ(::mkfifo((kept / "step_000000000000.rank_0").c_str(), 0600), 0);
  for (const std::int64_t steps : {2, 3}) save(steps, static_cast<float>(steps));
  std::vector<float> values(1);
  EXPECT_EQ(resume(values)->state.step, 3);
  fs::remove(kept / "latest");
  ASSERT_EQ(::mkfifo((kept / "latest").c_str(), 0600), 0);
  EXPECT_THROW(resume(values), Error);
}

TEST_F(OneRanks, TakeNoFileOfAnotherRunForTheirOwn) {
  save(9, 1);
  save(10, 2);
  const std::vector<float> theirs = {9};
  write_checkpoint(folder.path() / "kept/step_000000000010.rank_0", {"r-0", identity.job}, state, {theirs});
  std::vector<float> values(1);
  const auto loaded = resume(values);
  EXPECT_EQ(loaded->state.step, 9);
  EXPECT_NE(loaded->notes[0].find("rank_0: of another run"), std::string::npos);
}

TEST_F(OneRanks, EndWhereAnotherRunHasBegunToWrite) {
  save(9, 1);
  write_latest(folder.path() / "kept", {"r-0", {3}});
  EXPECT_THROW(save(10, 2), Error);
  EXPECT_EQ(test::content_of(folder.path() / "kept/latest"), "run r-0\nstep 3\n");
}

TEST_F(OneRanks, EndWhereTheirRunWasStartedAgain) {
  save(9, 1);
  SingleProcessCommunicator alone_too;
  Checkpoints again(folder.path() / "kept", {"", identity.job}, Ownership::shared, alone_too);
  std::vector<float> values(1);
  again.begin({Resume::always}, into(values));
  save(10, 2);  // The other start has only read.
  again.save({1, 11}, 11, {values});
  EXPECT_EQ(refusal([&] { save(12, 2); }),
            (folder.path() / "kept").string() +
                ": another start of run r-1 has begun to write its checkpoints here");
  again.save({1, 13}, 13, {values});
  EXPECT_EQ(read_latest(folder.path() / "kept")->steps, (std::vector<std::int64_t>{13, 11}));
}

// Who may write there could put others in place of the checkpoints.
TEST(Checkpoints, AreNotWrittenToAFolderOfAnotherUserOrOneThatIsOpenToAll) {
  const test::ScratchFolder folder;
  const auto refused = [&] {
    SingleProcessCommunicator alone;
    return refusal([&] { Checkpoints(folder.path(), {"", identity.job}, Ownership::shared, alone); });
  };
  EXPECT_EQ(refused(), "accepted");
  fs::permissions(folder.path(), fs::perms::all);
  EXPECT_EQ(refused(), folder.path().string() + ": any user may write there: no files are written there");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  fs::permissions(folder.path(), fs::perms::owner_all);
  ASSERT_EQ(::chown(folder.path().c_str(), test::another_uid, test::another_uid), 0);
  EXPECT_EQ(refused(),
            folder.path().string() + ": belongs to another user (uid 65533): no files are written there");
}

TEST(Settings, ThatDifferAreSaidOnEveryRank) {
  const test::ScratchFolder folder;
  const auto begin = [&](adasum::Communicator& communicator, const Facts& settings) {
    Checkpoints checkpoints(folder.path(), {"", job_of(2), settings}, Ownership::shared, communicator);
    std::vector<float> values(1);
    const auto loaded = checkpoints.begin({Resume::always}, into(values));
    if (!loaded) checkpoints.save({1, 1}, 1, {values});
    return loaded ? loaded->notes : std::vector<std::string>{};
  };
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    begin(communicator, {{"--momentum", "0.9"}, {"--weight-decay", "0"}, {"--device-number", "2"}});
    EXPECT_TRUE(begin(communicator, {{"--weight-decay", "0"}, {"--momentum", "0.9"}}).empty());
    EXPECT_EQ(
        begin(communicator, {{"--momentum", "0.5"}, {"--weight-decay", "0"}, {"--device-number", "flat"}}),
        (std::vector<std::string>{
            "resumed with other settings: --momentum 0.5 (was 0.9), --device-number flat (was 2)"}));
  });
}

TEST_F(OneRanks, TakeTheOneBeforeWhereTheNewestIsDamagedAndSayWhy) {
  save(9, 1);
  save(10, 2);
  const fs::path newest = folder.path() / "kept/step_000000000010.rank_0";
  fs::resize_file(newest, 40);
  std::vector<float> values(1);
  const auto loaded = resume(values);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->state.step, 9);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(loaded->notes, (std::vector<std::string>{"damaged, the checkpoint before it is taken: " +
                                                     newest.string() + ": torn: its end is missing"}));
  save(10, 3);
  EXPECT_EQ(read_latest(folder.path() / "kept")->steps, (std::vector<std::int64_t>{10, 9}));
  EXPECT_TRUE(resume(values)->notes.empty());
  EXPECT_EQ(values[0], 3);
}

TEST_F(OneRanks, RefuseToGoOnWhereBothAreDamaged) {
  save(9, 1);
  save(10, 2);
  fs::remove(folder.path() / "kept/step_000000000010.rank_0");
  fs::resize_file(folder.path() / "kept/step_000000000009.rank_0", 40);
  std::vector<float> values(1);
  const std::string kept = (folder.path() / "kept").string();
  EXPECT_EQ(refusal([&] { resume(values); }),
            kept + "/step_000000000010.rank_0: cannot be opened: No such file or directory; " + kept +
                "/step_000000000009.rank_0: torn: its end is missing");
}

TEST(Ranks, TakeTheSameCheckpointWhereOneOfThemHasADamagedOne) {
  const test::ScratchFolder folder;
  const fs::path kept = folder.path() / "kept";
  adasum::run_ranks(4, [&](adasum::Communicator& communicator) {
    Checkpoints checkpoints(kept, {"", job_of(communicator.size())}, Ownership::own, communicator);
    std::vector<float> values(1);
    checkpoints.begin(first, {});
    for (int step = 1; step <= 2; ++step) {
      values[0] = static_cast<float>(10 * step + communicator.rank());
      checkpoints.save({1, step}, step, {values});
    }
    if (communicator.rank() == 2) fs::resize_file(kept / "step_000000000002.rank_2", 40);
    const auto loaded = checkpoints.begin({Resume::always}, into(values));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->state.step, 1);
    EXPECT_EQ(values[0], static_cast<float>(10 + communicator.rank()));
    ASSERT_EQ(loaded->notes.size(), 1U);
    EXPECT_NE(loaded->notes[0].find("step_000000000002.rank_2: torn"), std::string::npos);
  });
}

TEST(Ranks, TakeTheOneBeforeWhereTheOneThatTheyShareIsDamaged) {
  const test::ScratchFolder folder;
  adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
    Checkpoints checkpoints(folder.path() / "kept", {"", job_of(communicator.size())}, Ownership::shared,
                            communicator);
    std::vector<float> values(1);
    checkpoints.begin(first, {});
    for (int step = 1; step <= 2; ++step) {
      values[0] = static_cast<float>(step);
      checkpoints.save({1, step}, step, {values});
    }
    if (communicator.rank() == 0) fs::resize_file(folder.path() / "kept/step_000000000002.rank_0", 40);
    values[0] = 0;
    const auto loaded = checkpoints.begin({Resume::always}, into(values));
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->state.step, 1);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(loaded->notes.size(), 1U);
    values[0] = 3;
    checkpoints.save({1, 2}, 2, {values});
    EXPECT_TRUE(checkpoints.begin({Resume::always}, into(values))->notes.empty());
  });
}

/// Checkpoints of the ranks of `communicator`.
Checkpoints of_ranks(const fs::path& folder, Ownership ownership, adasum::Communicator& communicator,
                     const std::string& model = "lenet5") {
  return {folder, {"", job_of(communicator.size(), model)}, ownership, communicator};
}

/// Checkpoints 1 and 2 of `ranks` ranks: their step, times ten, and the rank if each has its own.
void save_two(const fs::path& folder, Ownership ownership, int ranks) {
  adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
    Checkpoints checkpoints = of_ranks(folder, ownership, communicator);
    std::vector<float> values(1);
    checkpoints.begin({Resume::always, "r-1"}, into(values));
    for (int step = 1; step <= 2; ++step) {
      values[0] = static_cast<float>(10 * step + (ownership == Ownership::own ? communicator.rank() : 0));
      if (ownership == Ownership::sharded)
        checkpoints.save({1, step}, step, {values, {}});
      else
        checkpoints.save({1, step}, step, {values});
    }
  });
}

TEST(OtherRanks, ReadTheStateThatAllHadAndSayHowManyThereWere) {
  const test::ScratchFolder folder;
  save_two(folder.path(), Ownership::shared, 4);
  for (const int ranks : {1, 2, 7}) {
    adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
      std::vector<float> values(1);
      std::vector<int> asked;
      const auto loaded =
          of_ranks(folder.path(), Ownership::shared, communicator).begin({Resume::always}, [&](int of_ranks) {
            asked.push_back(of_ranks);
            return std::vector<std::span<float>>{values};
          });
      ASSERT_TRUE(loaded);
      EXPECT_EQ(asked, std::vector<int>{4});
      EXPECT_EQ(values[0], 20);
      EXPECT_EQ(loaded->ranks, 4);
      EXPECT_EQ(loaded->steps, 2);
      EXPECT_EQ(loaded->notes, (std::vector<std::string>{"checkpoint of 4 ranks; continuing with " +
                                                         std::to_string(ranks)}));
    });
  }
}

TEST(OtherRanks, ReadTheCheckpointBeforeADamagedOneAsThatOfItsOwnRanks) {
  const test::ScratchFolder folder;
  save_two(folder.path(), Ownership::shared, 4);
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    Checkpoints checkpoints = of_ranks(folder.path(), Ownership::shared, communicator);
    std::vector<float> values(1);
    checkpoints.begin({Resume::always}, into(values));
    checkpoints.save({1, 3}, 3, {values});
    EXPECT_EQ(checkpoints.begin({Resume::always}, into(values))->ranks, 2);
    if (communicator.rank() == 0) fs::resize_file(folder.path() / "step_000000000003.rank_0", 40);
    const auto loaded = checkpoints.begin({Resume::always}, into(values));
    EXPECT_EQ(loaded->ranks, 4);
    EXPECT_EQ(loaded->steps, 2);
  });
}

TEST(OtherRanks, ReadTheOneBeforeWhereTheFileThatSaysHowManyThereWereIsDamaged) {
  const test::ScratchFolder folder;
  save_two(folder.path(), Ownership::sharded, 4);
  fs::resize_file(folder.path() / "step_000000000002.rank_0", 40);
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    Checkpoints checkpoints = of_ranks(folder.path(), Ownership::sharded, communicator);
    std::vector<float> values(1);
    const auto loaded = checkpoints.begin({Resume::always}, [&](int /*ranks*/) {
      return std::vector<std::span<float>>{values, {}};
    });
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->steps, 1);
    EXPECT_EQ(loaded->ranks, 4);
    ASSERT_EQ(loaded->notes.size(), 2U);
    EXPECT_NE(loaded->notes[0].find("step_000000000002.rank_0: torn"), std::string::npos);
  });
}

/// Why `ranks` ranks with the model `model` do not resume.
std::string refusal_for(const fs::path& folder, int ranks, const std::string& model = "lenet5") {
  return refusal([&] {
    adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
      std::vector<float> values(1);
      of_ranks(folder, Ownership::own, communicator, model).begin({Resume::always}, into(values));
    });
  });
}

TEST(OtherRanks, AreRefusedStatesThatEachRankHadForItself) {
  const test::ScratchFolder folder;
  save_two(folder.path(), Ownership::own, 4);
  const std::string file = (folder.path() / "step_000000000002.rank_0").string();
  EXPECT_EQ(
      refusal_for(folder.path(), 2),
      file +
          ": of 4 ranks, each with a state of its own (--adasum-on delta, --reduce none), which 2 ranks "
          "cannot continue from: wanted 4 ranks, or another folder to begin anew");
  EXPECT_EQ(refusal_for(folder.path(), 2, "mlp"),
            file + ": a checkpoint of another job: its model is lenet5, this one's is mlp");
  EXPECT_EQ(refusal_for(folder.path(), 4), "accepted");
}

TEST(OtherRanks, RemoveTheOldFilesOfRanksThatAreNoMore) {
  const test::ScratchFolder folder;
  save_two(folder.path(), Ownership::sharded, 5);
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    Checkpoints checkpoints = of_ranks(folder.path(), Ownership::sharded, communicator);
    std::vector<float> weights(1);
    std::vector<float> statistics;
    checkpoints.begin({Resume::always}, [&](int /*ranks*/) {
      return std::vector<std::span<float>>{weights, statistics};
    });
    for (const int step : {3, 4}) checkpoints.save({1, step}, step, {weights, statistics});
  });
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{"latest", "step_000000000003.rank_0", "step_000000000003.rank_1",
                                      "step_000000000004.rank_0", "step_000000000004.rank_1"}));
}

}  // namespace
}  // namespace adarun::trainer
