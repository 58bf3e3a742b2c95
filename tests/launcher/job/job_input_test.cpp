// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_input.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <map>
#include <string>

#include "tests/launcher/plan/sample_plan.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

using protocol::InputWanted;
using Kind = InputWanted::Kind;

/// Two nodes with two ranks each, of which all, or rank 0, read.
class JobInputTest : public testing::Test {
 protected:
  enum class Readers { first, all };

  void begin(int fd, Readers readers) {
    for (NodePlan& node : plan_.nodes)
      for (protocol::RankSpec& spec : node.start.ranks)
        if (readers == Readers::all || spec.rank == 0) spec.in = protocol::Stdin::passed_on;
    input_ = JobInput(base::FileDescriptor(fd));
    input_.begin(plan_);
  }

  void begin_file(const std::string& text, off_t offset, Readers readers) {
    scratch_.write("input", text);
    const int fd = open((scratch_.path() / "input").c_str(), O_RDONLY | O_CLOEXEC);
    lseek(fd, offset, SEEK_SET);
    begin(fd, readers);
    fd_ = fd;
  }

  void begin_pipe(Readers readers) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    writing_ = base::FileDescriptor(ends[1]);
    begin(ends[0], readers);
  }
  void write_pipe(const std::string& text) {
    ASSERT_EQ(write(writing_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  void want(std::uint32_t rank, Kind kind, std::uint32_t bytes) {
    input_.take({rank / 2, protocol::Message(InputWanted{rank, kind, bytes})});
  }

  /// What a rank is sent until nothing follows, "." behind the last of it.
  std::string sent_to(std::uint32_t rank) {
    while (true) {
      const std::vector<Outgoing> messages = input_.advance();
      if (messages.empty()) break;
      for (const Outgoing& out : messages) {
        const auto& input = std::get<protocol::Input>(out.message);
        EXPECT_EQ(out.nodes, std::vector<std::uint32_t>{input.rank / 2});
        sent_[input.rank] += input.bytes + (input.last ? "." : "");
      }
    }
    return std::exchange(sent_[rank], "");
  }

  Plan plan_ = plan_of("node1:2,node2:2");
  test::ScratchFolder scratch_;
  base::FileDescriptor writing_;
  JobInput input_;
  int fd_ = -1;
  std::map<std::uint32_t, std::string> sent_;
};

TEST_F(JobInputTest, ReadsAFileFromItsOffsetAndLeavesThatWhereItIs) {
  begin_file("first\nsecond\nthird\n", 6, Readers::first);
  EXPECT_EQ(sent_to(0), "") << "nobody has asked";
  want(0, Kind::from_begin, 9);
  EXPECT_EQ(sent_to(0), "second\nth");
  want(0, Kind::more, 9);
  EXPECT_EQ(sent_to(0), "ird\n.");
  EXPECT_EQ(lseek(fd_, 0, SEEK_CUR), 6);
  EXPECT_FALSE(input_.is_spent());
}

TEST_F(JobInputTest, GivesEachRankAndEachStartTheWholeFile) {
  begin_file("lines\n", 0, Readers::all);
  for (const std::uint32_t rank : {2U, 0U, 3U}) {
    want(rank, Kind::from_begin, 100);
    EXPECT_EQ(sent_to(rank), "lines\n.");
  }
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), "lines\n.");
  input_.begin(plan_);
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), "lines\n.");
}

TEST_F(JobInputTest, ReadsNothingOfAPipeThatNobodyWants) {
  begin_pipe(Readers::first);
  write_pipe("lines of a shell loop\n");
  EXPECT_EQ(input_.fd(), -1);
  EXPECT_EQ(sent_to(0), "");
  EXPECT_TRUE(input_.is_unread());
  EXPECT_FALSE(input_.is_spent());
}

TEST_F(JobInputTest, PassesAPipeOnAsItIsWanted) {
  begin_pipe(Readers::first);
  want(0, Kind::from_begin, 4);
  EXPECT_NE(input_.fd(), -1);
  EXPECT_EQ(sent_to(0), "");
  write_pipe("abcdefgh");
  EXPECT_EQ(sent_to(0), "abcd");
  EXPECT_EQ(input_.fd(), -1);
  want(0, Kind::more, 100);
  EXPECT_EQ(sent_to(0), "efgh");
  writing_.reset();
  EXPECT_EQ(sent_to(0), ".");
  EXPECT_TRUE(input_.is_spent());
  EXPECT_FALSE(input_.is_unread());
}

TEST_F(JobInputTest, GivesAllRanksTheBytesOfAPipe) {
  begin_pipe(Readers::all);
  write_pipe("text");
  writing_.reset();
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), "text.");
  for (const std::uint32_t rank : {1U, 2U, 3U}) {
    want(rank, Kind::from_begin, 100);
    EXPECT_EQ(sent_to(rank), "text.") << rank;
  }
}

TEST_F(JobInputTest, IsHeldForTheSlowestRankUntilThatIsGone) {
  begin_pipe(Readers::all);
  for (const std::uint32_t rank : {0U, 1U, 2U}) want(rank, Kind::from_begin, JobInput::most_held_bytes);
  const std::string text(500'000, 'x');
  write_pipe(text);
  std::size_t sent = sent_to(0).size();
  EXPECT_GE(sent, JobInput::most_held_bytes);
  EXPECT_LT(sent, JobInput::most_held_bytes + (64U << 10U)) << "rank 3 has not begun to read";
  want(0, Kind::more, 200'000);
  want(1, Kind::no_more, 0);
  input_.take({1, protocol::Message(protocol::Exited{2})});
  EXPECT_EQ(sent_to(0).size() + sent, std::min(text.size(), sent));
  want(0, Kind::more, 200'000);
  input_.take({1, LinkLost{"cut"}});
  sent += sent_to(0).size();
  want(0, Kind::more, 200'000);
  EXPECT_EQ(sent + sent_to(0).size(), text.size());
}

TEST_F(JobInputTest, EndsForARankThatIsStartedAgainBehindAPipe) {
  begin_pipe(Readers::first);
  write_pipe("once");
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), "once");
  input_.take({0, protocol::Message(protocol::Exited{})});
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), ".");
  const std::vector<std::string> notices = input_.take_notices();
  ASSERT_EQ(notices.size(), 1);
  EXPECT_NE(notices[0].find("rank 0 was started again"), std::string::npos) << notices[0];
}

TEST_F(JobInputTest, IsEmptyWithoutStdin) {
  begin(-1, Readers::first);
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), ".");
  EXPECT_FALSE(input_.is_unread());
}

TEST_F(JobInputTest, IsNotUnreadWhereNothingWasPutForRanks) {
  for (const char* path : {"/dev/null", "/dev/zero", "/tmp"}) {
    begin(open(path, O_RDONLY | O_CLOEXEC), Readers::first);
    EXPECT_FALSE(input_.is_unread()) << path;
  }
}

TEST_F(JobInputTest, SaysWhyItCannotBeRead) {
  begin(open("/tmp", O_RDONLY | O_CLOEXEC), Readers::first);
  want(0, Kind::from_begin, 100);
  EXPECT_EQ(sent_to(0), ".");
  EXPECT_EQ(input_.take_notices(), std::vector<std::string>{"stdin: cannot be read further: Is a directory"});
}

TEST_F(JobInputTest, IsNotGivenToANodeForARankOfAnother) {
  begin_file("text", 0, Readers::first);
  input_.take({1, protocol::Message(InputWanted{0, Kind::from_begin, 100})});
  input_.take({1, protocol::Message(InputWanted{99, Kind::from_begin, 100})});
  EXPECT_EQ(sent_to(0), "");
}

}  // namespace
}  // namespace adarun::launcher
