// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/log_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "monitor/base/error.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor {
namespace {

using Logs = std::vector<LogFile>;

TEST(LogFiles, AreThoseOfTheFirstKindThatIsThere) {
  const struct {
    const char* what;
    std::vector<std::pair<std::uint32_t, std::string>> logs;
    std::vector<std::string> others;
  } cases[] = {
      {"workers by rank",
       {{2, "worker_2.log"}, {10, "worker_10.log"}},
       {"env_2.log", "worker_.log", "worker_x.log", "worker_3.log.zip", "scheduler.log", "worker_-1.log",
        "worker_2.log.gz", "worker_4.log.1"}},
      {"devices of one node",
       {{0, "device0/train.log"}, {1, "device1/log1"}},
       {"device1/env1.log", "device2/env2.log"}},
      {"devices, numbered over nodes",
       {{0, "node0/device0/train.log"},
        {1, "node0/device1/train.log"},
        {2, "node1/device0/train.log"},
        {3, "node10/device0/train.log"}},
       {}},
      {"what is called a log where nothing has a rank",
       {{0, "a.log"}, {1, "slurm-12.out"}},
       {"scheduler.log", "adarun.log", "adarun.1.log", "env_0.log", "hang_0.txt", "line_times.txt",
        "README.txt", "job.json"}},
  };
  for (const auto& each : cases) {
    const test::ScratchFolder scratch;
    for (const std::string& other : each.others) scratch.write(other, "");
    Logs logs;
    for (const auto& [rank, name] : each.logs) logs.push_back({rank, scratch.write(name, "")});
    EXPECT_EQ(logs_in(scratch.path()), logs) << each.what;
  }
}

TEST(LogFiles, FindsPackedLogsWhereThereAreNoOthers) {
  const test::ScratchFolder scratch;
  const auto three = scratch.write("worker_3.log.gz", "");
  EXPECT_EQ(logs_in(scratch.path()), (Logs{{3, three}}));
  EXPECT_EQ(logs_at({three}), (Logs{{3, three}}));
  const auto device = scratch.write("other/device0/train.log.gz", "");
  EXPECT_EQ(logs_in(scratch.path() / "other"), (Logs{{0, device}}));
}

TEST(LogFiles, GivesFilesTheirRankOrTheNextFreeOne) {
  const test::ScratchFolder scratch;
  const auto seven = scratch.write("a/worker_7.log", "");
  const auto again = scratch.write("b/worker_7.log", "");
  const auto plain = scratch.write("train.log", "");
  EXPECT_EQ(logs_at({seven, plain, again}), (Logs{{7, seven}, {8, plain}, {9, again}}));
}

TEST(LogFiles, FindsTheLastAttemptOfTorchrun) {
  const test::ScratchFolder scratch;
  scratch.write("none_abc/attempt_0/0/stdout.log", "old");
  const auto zero = scratch.write("none_abc/attempt_1/0/stdout.log", "new");
  const auto one = scratch.write("none_abc/attempt_1/1/stderr.log", "loss");
  scratch.write("none_abc/attempt_1/1/stdout.log", "");
  scratch.write("none_abc/attempt_1/0/stderr.log", "warning");
  EXPECT_EQ(logs_in(scratch.path()), (Logs{{0, zero}, {1, one}}));
  EXPECT_EQ(logs_in(scratch.path() / "none_abc"), (Logs{{0, zero}, {1, one}}));
}

TEST(LogFiles, FindsRanksInNames) {
  for (const char* name :
       {"rank_%.log", "rank%.log", "log_rank%.txt", "train.rank-%.out", "%.log", "rank%_gpu.log"}) {
    const test::ScratchFolder scratch;
    const auto named = [&](const std::string& number) {
      return scratch.write(std::string(name).replace(std::string(name).find('%'), 1, number), "");
    };
    const auto ten = named("10");
    const auto two = named("2");
    scratch.write("notes.log", "");
    scratch.write("ranking.txt", "");
    EXPECT_EQ(logs_in(scratch.path()), (Logs{{2, two}, {10, ten}})) << name;
  }
}

TEST(LogFiles, LeavesASchedulerOutUnlessItIsAllThereIs) {
  const test::ScratchFolder scratch;
  const auto scheduler = scratch.write("scheduler.log", "");
  const auto worker = scratch.write("worker_0.log", "");
  EXPECT_EQ(logs_at({scheduler, worker}), (Logs{{0, worker}}));
  EXPECT_EQ(logs_at({scheduler}), (Logs{{0, scheduler}}));
  const auto three = scratch.write("log_rank3.txt", "");
  EXPECT_EQ(logs_at({worker, three}), (Logs{{0, worker}, {3, three}}));
}

TEST(LogFiles, TakesALogThatIsNamedTwiceOnce) {
  const test::ScratchFolder scratch;
  const auto worker = scratch.write("worker_0.log", "");
  const auto other = scratch.path() / "." / "worker_0.log";
  EXPECT_EQ(logs_at({scratch.path(), worker, other}), (Logs{{0, worker}}));
}

TEST(LogFiles, TakesFilesThatHaveNoNameAnyMore) {
  const test::ScratchFolder scratch;
  const auto worker = scratch.write("worker_0.log", "");
  const int fd = open(worker.c_str(), O_RDONLY | O_CLOEXEC);
  std::filesystem::remove(worker);
  const std::filesystem::path nameless = "/proc/self/fd/" + std::to_string(fd);
  EXPECT_EQ(logs_at({scratch.path(), nameless}), (Logs{{0, nameless}}));
  close(fd);
}

TEST(LogFiles, RefusesAPlaceThatIsNotThere) {
  const test::ScratchFolder scratch;
  EXPECT_THROW(logs_at({scratch.path() / "missing"}), Error);
  EXPECT_EQ(logs_at({scratch.path()}), Logs{});
}

// Every kind of log, each as a link to a folder or a file elsewhere.
TEST(LogFiles, LeavesOutLinksWhereTheyAreRefused) {
  namespace fs = std::filesystem;
  const test::ScratchFolder scratch;
  const auto secret = scratch.write("private/log1", "epoch: 1 step: 1, loss is 2\n");
  scratch.write("private/device0/train.log", "");
  scratch.write("private/0/stdout.log", "text");
  const fs::path target = scratch.path() / "private";
  const std::vector<std::pair<std::string, fs::path>> links{
      {"worker_0.log", secret}, {"worker_0.log.gz", secret},
      {"device0", target},      {"device0/log1", secret},
      {"node0", target},        {"rank3.log", secret},
      {"attempt_0", target},    {"attempt_0/0/stdout.log", secret},
      {"any.log", secret}};
  for (const auto& [name, points_to] : links) {
    const fs::path folder =
        scratch.path() / ("logs " + fs::path(name).filename().string() + name.substr(0, 1));
    fs::create_directories((folder / name).parent_path());
    fs::create_symlink(points_to, folder / name);
    EXPECT_EQ(logs_in(folder).size(), 1U) << name;
    EXPECT_EQ(logs_in(folder, Links::refused), Logs{}) << name;
    EXPECT_EQ(logs_at({folder}, Links::refused), Logs{}) << name;
  }
  fs::create_symlink(target, scratch.path() / "place");
  EXPECT_THROW(logs_at({scratch.path() / "place"}, Links::refused), Error);
}

}  // namespace
}  // namespace adarun::monitor
