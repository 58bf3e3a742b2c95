// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/cgroup.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

using protocol::OutOfMemory;

class MemoryWatchTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text); }

  test::ScratchFolder folder_;
};

TEST_F(MemoryWatchTest, GoesByTheRanksOwnGroupWhereThatIsCounted) {
  const std::string machine = write("vmstat", "nr_free_pages 7\noom_kill 3\n");
  const std::string events = write("memory.events", "low 0\noom 1\noom_kill 0\n");
  const MemoryWatch watch(events, machine);
  write("vmstat", "nr_free_pages 7\noom_kill 4\n");
  EXPECT_EQ(watch.verdict(), OutOfMemory::no) << "it was another's process";
  write("memory.events", "low 0\noom 1\noom_kill 1\n");
  EXPECT_EQ(watch.verdict(), OutOfMemory::yes);
  EXPECT_EQ(MemoryWatch(events, machine).verdict(), OutOfMemory::no) << "it was killed before this one began";
}

TEST_F(MemoryWatchTest, ElseByWhatTheKernelHasKilledSince) {
  const std::string machine = write("vmstat", "oom_kill 3\n");
  const MemoryWatch watch("", machine);
  EXPECT_EQ(watch.verdict(), OutOfMemory::no);
  write("vmstat", "oom_kill 4\n");
  EXPECT_EQ(watch.verdict(), OutOfMemory::likely);
}

TEST_F(MemoryWatchTest, DoesNotKnowWhereTheKernelDoesNotTell) {
  EXPECT_EQ(MemoryWatch("", write("vmstat", "nr_free_pages 7\n")).verdict(), OutOfMemory::unknown);
  EXPECT_EQ(MemoryWatch("", "/no/such/file").verdict(), OutOfMemory::unknown);
}

}  // namespace
}  // namespace adarun::launcher::agent
