// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

#include "base/output_folder.h"
#include "tests/scratch_folder.h"

namespace adarun::base {
namespace {

namespace fs = std::filesystem;

class LogTest : public testing::Test {
 protected:
  Log::Console console() {
    return [this](const std::string& line) { said_.push_back(line); };
  }

  static std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  // Without the time, which a test cannot predict.
  std::vector<std::string> written() const {
    std::vector<std::string> lines = lines_of(file());
    for (std::string& line : lines) line = line.substr(std::string("2026-01-02T03:04:05.678Z ").size());
    return lines;
  }

  std::string file() const { return folder_ / "adarun.log"; }

  using Lines = std::vector<std::string>;
  test::ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  Lines said_;
  Log log_{"adarun"};
};

TEST_F(LogTest, WritesTimeLevelAndNode) {
  log_.divert(console());
  log_.open_file(file());
  log_.write(Level::debug, "node1", "connect");
  const Lines lines = lines_of(file());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(std::regex_match(lines[0],
                               std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z debug   node1 connect)")))
      << lines[0];
}

TEST_F(LogTest, WritesEveryLevelToTheFileAndShowsWhatIsAskedFor) {
  log_.divert(console());
  log_.open_file(file());
  for (const Level shown : {Level::error, Level::warning, Level::info, Level::debug}) {
    log_.show(shown);
    log_.debug("d");
    log_.info("i");
    log_.warning("w");
    log_.error("e");
  }
  EXPECT_EQ(said_, (Lines{"e", "w", "e", "i", "w", "e", "d", "i", "w", "e"}));
  ASSERT_EQ(written().size(), 16U);
  EXPECT_EQ(written()[1], "info    - i");
  EXPECT_EQ(written()[2], "warning - w");
  EXPECT_EQ(written()[3], "error   - e");
}

TEST_F(LogTest, ShowsPeopleTheTextWordForWord) {
  log_.divert(console());
  log_.warning("two\n  lines, \\x");
  log_.write(Level::warning, "node1", "of a node\nadarun: forged");
  EXPECT_EQ(said_, (Lines{"two\n  lines, \\x", "node1: of a node adarun: forged"}));
}

TEST_F(LogTest, PassesNoControlSequenceOn) {
  log_.divert(console());
  log_.error("one\x1b[2J\ntwo\x1b]0;title\x07\xc2\x9b");
  EXPECT_EQ(said_, Lines{"one\ntwo\xef\xbf\xbd"});
}

TEST_F(LogTest, CleansWhatItWritesAndWhatIsForDebugging) {
  log_.divert(console());
  log_.show(Level::debug);
  log_.open_file(file());
  log_.write(Level::debug, "node\n1", "\x1b[2Jgone\n2026-01-01T00:00:00.000Z error   - forged");
  EXPECT_EQ(written(), Lines{"debug   node 1 gone 2026-01-01T00:00:00.000Z error   - forged"});
  EXPECT_EQ(said_.front().find('\x1b'), std::string::npos);
}

TEST_F(LogTest, KeepsWhatWasSaidBeforeTheFileWasOpened) {
  log_.debug("before");
  log_.open_file(file());
  log_.debug("behind");
  EXPECT_EQ(written(), (Lines{"debug   - before", "debug   - behind"}));
}

TEST_F(LogTest, ContinuesInAnotherFileAndBehindWhatIsThere) {
  log_.open_file(file());
  log_.debug("one");
  fs::rename(file(), folder_ / "old.log");
  log_.debug("two");
  log_.open_file(file());
  log_.debug("three");
  EXPECT_EQ(lines_of(folder_ / "old.log").size(), 2U);
  EXPECT_EQ(written(), Lines{"debug   - three"});
  log_.open_file(file());
  log_.debug("four");
  EXPECT_EQ(written(), (Lines{"debug   - three", "debug   - four"}));
}

TEST_F(LogTest, IsBounded) {
  constexpr std::size_t most = 10'000;
  log_.open_file(file(), most);
  for (int i = 0; i < 1'000; ++i) log_.debug("line " + std::to_string(i) + std::string(100, '.'));
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) bytes += entry.file_size();
  EXPECT_LE(bytes, 2 * most);
  EXPECT_TRUE(fs::exists(folder_ / "adarun.1.log"));
  EXPECT_NE(written().back().find("line 999"), std::string::npos);
}

TEST_F(LogTest, HidesSecrets) {
  log_.divert(console());
  log_.open_file(file());
  log_.hide("hunter2");
  log_.hide("x");
  log_.warning("PASSWORD=hunter2, again hunter2x");
  EXPECT_EQ(written(), Lines{"warning - PASSWORD=***, again ***x"});
}

TEST_F(LogTest, HasTheModeOfOtherLogsAndIsNotForProgramsThatAreStarted) {
  const mode_t before = umask(0);
  log_.open_file(file(), 1'000);
  for (int i = 0; i < 100; ++i) log_.debug(std::string(100, '.'));
  umask(before);
  struct stat facts {};
  ASSERT_EQ(stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0644U);
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone).parent_path() != folder_) continue;
    EXPECT_NE(fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST_F(LogTest, SaysOnceThatItCannotWriteAndGoesOn) {
  log_.divert(console());
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit full{10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  log_.open_file(file());
  for (int i = 0; i < 3; ++i) log_.debug("text");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(said_, Lines{file() + ": cannot write this file: File too large; continuing without it"});
}

TEST_F(LogTest, WritesToRegularFilesWithoutOtherNamesAndThroughNoLink) {
  log_.divert(console());
  scratch_.write("private", "mine");
  fs::create_symlink("private", folder_ / "link");
  fs::create_hard_link(folder_ / "private", folder_ / "other name");
  for (const std::string& name :
       {(folder_ / "link").string(), (folder_ / "other name").string(), std::string("/dev/full")}) {
    log_.open_file(name);
    log_.debug("text");
    ASSERT_FALSE(said_.empty());
    EXPECT_EQ(said_.back().find(name + ": cannot write this file: "), 0U) << said_.back();
  }
  EXPECT_EQ(said_.size(), 3U);
  EXPECT_EQ(test::content_of(folder_ / "private"), "mine");
}

TEST_F(LogTest, StaysInAFolderThatIsMoved) {
  const base::OutputFolder opened(folder_ / "a");
  log_.open_file_in(opened, "adarun.log");
  log_.debug("one");
  fs::rename(folder_ / "a", folder_ / "moved");
  fs::create_directory(folder_ / "a");
  log_.debug("two");
  EXPECT_EQ(lines_of(folder_ / "moved/adarun.log").size(), 2U);
  EXPECT_TRUE(fs::is_empty(folder_ / "a"));
}

TEST_F(LogTest, SaysOnceThatItCannotOpenItsFileAndGoesOn) {
  log_.divert(console());
  log_.open_file(folder_ / "none" / "adarun.log" / "");
  log_.debug("text");
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("cannot write this file: "), std::string::npos) << said_[0];
}

TEST_F(LogTest, SpeaksOnStderrUnderTheNameOfItsProgram) {
  testing::internal::CaptureStderr();
  log_.write(Level::warning, "node1", "text");
  log_.debug("nothing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "adarun: node1: text\n");
}

}  // namespace
}  // namespace adarun::base
