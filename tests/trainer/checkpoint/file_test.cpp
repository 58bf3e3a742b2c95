// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

const RunIdentity identity = {"r-1", {{"model", "lenet5"}, {"number of ranks", "4"}}};
const CheckpointState state = {3, 17, {251}, 512, 7};

/// The error when `file` is read into three and two floats.
std::string refusal(const fs::path& file, const RunIdentity& wanted = identity) {
  std::vector<float> three(3);
  std::vector<float> two(2);
  return testing_data::refusal([&] { read_checkpoint(file, wanted, {three, two}); });
}

fs::path write(const test::ScratchFolder& folder) {
  const std::vector<float> three = {1, 2, 3};
  const std::vector<float> two = {-0.0F, 1e-40F};
  write_checkpoint(folder.path() / "a", identity, state, {three, two});
  return folder.path() / "a";
}

TEST(CheckpointFile, ComesBackToTheBit) {
  const test::ScratchFolder folder;
  const fs::path file = write(folder);
  std::vector<float> three(3);
  std::vector<float> two(2);
  EXPECT_EQ(read_checkpoint(file, identity, {three, two}), (CheckpointHeader{state, {}}));
  EXPECT_EQ(three, (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(std::signbit(two[0]));
  EXPECT_EQ(two[1], 1e-40F);
  EXPECT_FALSE(fs::exists(file.string() + ".unfinished"));
}

TEST(CheckpointFile, IsWrittenThroughNoLink) {
  const test::ScratchFolder folder;
  folder.write("private", "mine");
  fs::create_symlink("private", folder.path() / "a.unfinished");
  fs::create_symlink("private", folder.path() / "a");
  const std::vector<float> one = {1};
  write_checkpoint(folder.path() / "a", identity, state, {one});
  EXPECT_EQ(test::content_of(folder.path() / "private"), "mine");
  EXPECT_FALSE(fs::is_symlink(folder.path() / "a"));
}

TEST(CheckpointFile, HoldsTheStepsOfSeveralOptimizers) {
  const test::ScratchFolder folder;
  const CheckpointState several = {3, 17, {9, 4, 0}, 512, 7, 13};
  const std::vector<float> one = {1};
  write_checkpoint(folder.path() / "a", identity, several, {one});
  std::vector<float> read(1);
  EXPECT_EQ(read_checkpoint(folder.path() / "a", identity, {read}).state, several);
  EXPECT_EQ(parse_state(text_of(several)), several);
  EXPECT_EQ(parse_state(text_of(state)), state);
  EXPECT_THROW(parse_state("{}"), Error);
}

TEST(CheckpointFile, HoldsTheStepsOfAnotherNumberOfRanks) {
  const test::ScratchFolder folder;
  CheckpointState changed = state;
  changed.earlier = {12, 6144};
  const std::vector<float> one = {1};
  write_checkpoint(folder.path() / "a", identity, changed, {one});
  std::vector<float> read(1);
  EXPECT_EQ(read_checkpoint(folder.path() / "a", identity, {read}).state, changed);
  EXPECT_EQ(parse_state(text_of(changed)), changed);
  changed.earlier.steps = changed.step + 1;
  write_checkpoint(folder.path() / "b", identity, changed, {one});
  EXPECT_NE(refusal(folder.path() / "b").find("b: torn: another number of ranks"), std::string::npos);
}

TEST(CheckpointFile, IsReadWithItsOwnSizes) {
  const test::ScratchFolder folder;
  const fs::path file = write(folder);
  const StoredCheckpoint stored = read_checkpoint(file, identity);
  EXPECT_EQ(stored.header, (CheckpointHeader{state, {}}));
  EXPECT_EQ(stored.values, (std::vector<std::vector<float>>{{1, 2, 3}, {0, 1e-40F}}));
  EXPECT_THROW(read_checkpoint(file, {"r-1", {{"model", "mlp"}}}), Error);
  EXPECT_THROW(read_checkpoint(file, {"r-2", identity.job}), DamagedCheckpoint);
}

TEST(CheckpointFile, TellsWhoWroteIt) {
  const test::ScratchFolder folder;
  const fs::path file = write(folder);
  EXPECT_EQ(writers_of(file), (Writers{4, false}));
  const std::string content = test::content_of(file);
  EXPECT_THROW(writers_of(folder.write("cut", content.substr(0, content.size() - 1))), DamagedCheckpoint);
  for (const Facts& job : {Facts{{"model", "mlp"}}, Facts{{ranks_fact, "none"}}}) {
    write_checkpoint(folder.path() / "b", {"r-1", job}, state, {});
    EXPECT_THROW(writers_of(folder.path() / "b"), DamagedCheckpoint);
  }
}

TEST(CheckpointFile, TellsWhetherItsRanksHadStatesOfTheirOwn) {
  const test::ScratchFolder folder;
  const auto written_by = [&](int ranks, const char* reduction, const char* adasum) {
    const Facts job = {
        {ranks_fact, std::to_string(ranks)}, {reduction_fact, reduction}, {adasum_fact, adasum}};
    write_checkpoint(folder.path() / "a", {"r-1", job}, state, {});
    return writers_of(folder.path() / "a");
  };
  EXPECT_EQ(written_by(4, "adasum", "of gradients"), (Writers{4, false}));
  EXPECT_EQ(written_by(4, "adasum", "of deltas"), (Writers{4, true}));
  EXPECT_EQ(written_by(4, "none", "of gradients"), (Writers{4, true}));
  EXPECT_EQ(written_by(1, "none", "of gradients"), (Writers{1, false}));
}

TEST(CheckpointFile, TellsWhereItsWeightsAre) {
  const test::ScratchFolder folder;
  const fs::path file = write(folder);
  const StoredWeights weights = find_weights(file, {{"model", "lenet5"}});
  EXPECT_EQ(weights.count, 3U);
  const std::string content = test::content_of(file);
  std::vector<float> values(3);
  std::memcpy(values.data(), content.data() + weights.offset, 3 * sizeof(float));
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3}));
  EXPECT_THROW(find_weights(file, {{"model", "mlp"}}), Error);
  folder.write("a", content.substr(0, content.size() - 1));
  EXPECT_THROW(find_weights(file, {}), DamagedCheckpoint);
}

TEST(CheckpointFile, TakesAFactWithoutAValueForNone) {
  const test::ScratchFolder folder;
  const fs::path file = write(folder);
  const auto wanted = [&](const std::string& less_bn) {
    RunIdentity with = identity;
    with.job.emplace_back("less_bn", less_bn);
    return refusal(file, with);
  };
  EXPECT_EQ(wanted(""), "accepted");
  EXPECT_EQ(wanted("on"),
            file.string() + ": a checkpoint of another job: its less_bn is none, this one's is on");
}

TEST(CheckpointFile, IsRefusedWhereverItIsTorn) {
  const test::ScratchFolder folder;
  const std::string whole = test::content_of(write(folder));
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

// As for models without running means, and optimizers without state.
TEST(CheckpointFile, IsRefusedWhereverItIsDamagedBesideEmptyTensors) {
  const test::ScratchFolder folder;
  std::vector<float> two = {1, 2};
  std::vector<float> last = {3};
  write_checkpoint(folder.path() / "a", identity, state, {two, {}, last, {}});
  EXPECT_EQ(read_checkpoint(folder.path() / "a", identity, {two, {}, last, {}}).state, state);
  const std::string whole = test::content_of(folder.path() / "a");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(read_checkpoint(folder.write("flipped", flipped), identity, {two, {}, last, {}}), Error)
        << at;
  }
  EXPECT_EQ(two, (std::vector<float>{1, 2})) << "what is damaged was read";
}

TEST(CheckpointFile, IsRefusedWhereItsChecksumLeftValuesOut) {
  const test::ScratchFolder folder;
  std::string old = test::content_of(write(folder));
  old[old.find(" 2\n") + 1] = '1';
  EXPECT_NE(refusal(folder.write("old", old)).find("old: of an adarun whose checksum left weights out"),
            std::string::npos);
}

TEST(CheckpointFile, IsNotThatOfAnotherNameToWhichItIsCopied) {
  const test::ScratchFolder folder;
  fs::copy_file(write(folder), folder.path() / "b");
  EXPECT_EQ(refusal(folder.path() / "b"), (folder.path() / "b").string() + ": was written as a");
  EXPECT_EQ(refusal(folder.path() / "a"), "accepted");
}

TEST(CheckpointFile, IsRefusedWhereItIsForeignWithTheReason) {
  const test::ScratchFolder folder;
  const fs::path file = write(folder);
  EXPECT_EQ(refusal(file, {"r-1", {{"model", "mlp"}}}),
            file.string() + ": a checkpoint of another job: its model is lenet5, this one's is mlp");
  EXPECT_NE(refusal(folder.write("text", "these are the notes of another program")).find("not a checkpoint"),
            std::string::npos);
  std::vector<float> one(1);
  EXPECT_THROW(read_checkpoint(file, identity, {one}), Error);
  EXPECT_NE(refusal(folder.path() / "absent").find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace adarun::trainer
