// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/attempt_reader.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr const char* first_id = "20261121-104501-aaaaaa";
constexpr const char* second_id = "20261121-104502-bbbbbb";
constexpr const char* third_id = "20261121-104503-cccccc";

class AttemptReaderTest : public testing::Test {
 protected:
  // A job.json and a log of each rank.
  void write(const std::string& folder, const std::string& id, const Lines& earlier,
             const Lines& logs) const {
    std::string ids;
    for (const std::string& each : earlier)
      ids += (ids.empty() ? "" : ", ") + (R"({"id": ")" + each + R"(", "change": "node2 is lost"})");
    scratch_.write(folder + "/job.json",
                   R"({"state": "failed", "id": ")" + id + R"(", "earlier_attempts": [)" + ids + "]}");
    for (std::size_t rank = 0; rank < logs.size(); ++rank)
      scratch_.write(folder + "/worker_" + std::to_string(rank) + ".log", logs[rank]);
  }

  // As the next attempt does before it takes the folder.
  void rename(const std::string& from, const std::string& to) const {
    fs::rename(scratch_.path() / from, scratch_.path() / to);
  }

  AskedRun asked() const { return asked_runs({(scratch_.path() / "logs").string()}, false, "").front(); }

  AttemptReader reader_of(const AskedRun& run, std::size_t poll_bytes = 1U << 20U) {
    const auto feed = [this](std::uint32_t rank, bool anew, std::string_view bytes) {
      const std::string what = std::to_string(rank) + (anew ? " anew: " : ": ");
      if (!seen_.empty() && seen_.back().starts_with(what))
        seen_.back() += bytes;
      else
        seen_.push_back(what + std::string(bytes));
    };
    return {run, poll_bytes, feed, [this](std::uint64_t number, const std::string& change) {
              seen_.push_back("attempt " + std::to_string(number) + ": " + change);
            }};
  }

  // What has come once nothing more comes.
  Lines all(AttemptReader& reader) {
    for (int quiet = 0; quiet < 3; ++quiet) {
      if (reader.read()) quiet = 0;
      reader.look();
    }
    return std::exchange(seen_, {});
  }

  test::ScratchFolder scratch_;
  Lines seen_;
};

TEST_F(AttemptReaderTest, ReadsTheRestOfAnAttemptBeforeTheNextOne) {
  write("logs", first_id, {}, {"a\n", "b\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run, 2);  // One byte of each log at a time.
  reader.read_earlier();
  reader.look();
  EXPECT_TRUE(reader.read());
  rename("logs", std::string("logs.") + first_id);
  write("logs", second_id, {first_id}, {"c\n"});
  EXPECT_EQ(all(reader), (Lines{"0: a", "1: b", "0: \n", "1: \n", "attempt 2: node2 is lost", "0: c\n"}));
}

TEST_F(AttemptReaderTest, ReadsAnAttemptThatCameAndWentBeforeItLooked) {
  write("logs", first_id, {}, {"a\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  reader.read_earlier();
  rename("logs", std::string("logs.") + first_id);
  write("logs", second_id, {first_id}, {"b\n"});
  rename("logs", std::string("logs.") + second_id);
  write("logs", third_id, {first_id, second_id}, {"c\n"});
  reader.look();
  EXPECT_EQ(all(reader),
            (Lines{"0: a\n", "attempt 2: node2 is lost", "0: b\n", "attempt 3: node2 is lost", "0: c\n"}));
}

TEST_F(AttemptReaderTest, ReadsLogsThatCameJustBeforeTheEnd) {
  write("logs", first_id, {}, {"a\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  EXPECT_EQ(all(reader), Lines{"0: a\n"});
  scratch_.write("logs/worker_1.log", "b\n");
  rename("logs", std::string("logs.") + first_id);
  write("logs", second_id, {first_id}, {"c\n"});
  EXPECT_FALSE(reader.is_followed());
  reader.look();
  EXPECT_TRUE(reader.is_followed()) << "the view does not end meanwhile";
  EXPECT_EQ(all(reader), (Lines{"1: b\n", "attempt 2: node2 is lost", "0: c\n"}));
}

TEST_F(AttemptReaderTest, ReadsLaterAttemptsWhereLogsBeforeThemAreGone) {
  write("logs", first_id, {}, {"a\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  EXPECT_EQ(all(reader), Lines{"0: a\n"});
  fs::remove_all(scratch_.path() / "logs");
  write(std::string("logs.") + second_id, second_id, {first_id}, {"b\n"});
  write("logs", third_id, {first_id, second_id}, {"c\n"});
  EXPECT_EQ(all(reader), (Lines{"attempt 2: node2 is lost", "0: b\n", "attempt 3: node2 is lost", "0: c\n"}));
}

TEST_F(AttemptReaderTest, ReadsEarlierAttemptsFirst) {
  write(std::string("logs.") + first_id, first_id, {}, {"a\n"});
  write("logs", second_id, {first_id}, {"b\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  reader.read_earlier();
  EXPECT_EQ(all(reader), (Lines{"0: a\n", "attempt 2: node2 is lost", "0: b\n"}));
}

TEST_F(AttemptReaderTest, LeavesOutADamagedLogOfAnEarlierAttempt) {
  write(std::string("logs.") + first_id, first_id, {}, {"a\n"});
  scratch_.write(std::string("logs.") + first_id + "/worker_1.log.gz", "no gzip data");
  write("logs", second_id, {first_id}, {"b\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  reader.read_earlier();
  EXPECT_EQ(all(reader), (Lines{"0: a\n", "attempt 2: node2 is lost", "0: b\n"}));
}

TEST_F(AttemptReaderTest, WaitsForAFolderThatTheNextAttemptTakes) {
  write("logs", first_id, {}, {"a\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  EXPECT_EQ(all(reader), Lines{"0: a\n"});
  rename("logs", std::string("logs.") + first_id);
  EXPECT_EQ(all(reader), Lines{});
  write("logs", second_id, {first_id}, {"b\n"});
  EXPECT_EQ(all(reader), (Lines{"attempt 2: node2 is lost", "0: b\n"}));
}

TEST_F(AttemptReaderTest, ReadsNoAttemptTwiceIfTheNextOneGivesTheFolderBack) {
  write("logs", first_id, {}, {"a\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  reader.read_earlier();
  EXPECT_EQ(all(reader), Lines{"0: a\n"});
  rename("logs", "aside");
  write("logs", second_id, {first_id}, {""});
  EXPECT_EQ(all(reader), Lines{"attempt 2: node2 is lost"});
  rename("logs", std::string("logs.") + second_id);
  rename("aside", "logs");
  for (int turn = 0; turn < 2; ++turn) EXPECT_FALSE(reader.read());
  EXPECT_EQ(all(reader), Lines{});
  EXPECT_EQ(reader.look()->id, first_id);
  EXPECT_FALSE(reader.is_at_end_of_attempt());
  rename("logs", std::string("logs.") + first_id);
  write("logs", third_id, {first_id, second_id}, {"c\n"});
  EXPECT_EQ(all(reader), (Lines{"attempt 3: node2 is lost", "0: c\n"}));
}

TEST_F(AttemptReaderTest, ContinuesWithALogThatIsCut) {
  write("logs", first_id, {}, {"abc\n"});
  const AskedRun run = asked();
  AttemptReader reader = reader_of(run);
  EXPECT_EQ(all(reader), Lines{"0: abc\n"});
  scratch_.write("logs/worker_0.log", "a\n");
  EXPECT_EQ(all(reader), Lines{"0 anew: a\n"});
}

}  // namespace
}  // namespace adarun::cli
