// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/wire/error.h"
#include "launcher/wire/frame.h"

namespace adarun::wire {
namespace {

Query sample_query() {
  return {9, Question::list, {"hccn_tool", "-i", "0", "a b"}, "/dev", 1'000, 4096};
}

Answer sample_answer() {
  return {9, Outcome::too_late, "r", std::string("o\0", 2), "e", -1, 9, {"davinci0", ""}};
}

Start sample_start() {
  Start start;
  start.job_id = "j1";
  start.nodes = {{"n0", {0, 1}}, {"n1", {2, 3}}};
  start.world_size = 4;
  start.ranks = {{2, 0, {"/bin/echo", "a b", "", "\n$'"}, {"X=\xc3\xa9"}, "/tmp", {"OMP_NUM_THREADS=1"}}};
  start.files = {{"rank_table.json", std::string("\0{}", 3)}};
  start.mpi = Mpi::on;
  return start;
}

TEST(Frame, GivesBackEveryMessageWhenFedByteByByte) {
  const std::vector<Message> messages{Hello{"0.1", "n0", 7, -5},
                                      sample_start(),
                                      Output{3, Stream::err, "x\r\n"},
                                      Exited{1, 7, 0, true},
                                      Ping{~std::uint64_t{}},
                                      Done{},
                                      Abort{2, -1, "m"},
                                      Joined{3},
                                      Fence{{}, "a=1\n", Service::pmi},
                                      FenceDone{{0, 1}, "x"},
                                      Ready{false, "r", "w", true},
                                      sample_query(),
                                      sample_answer(),
                                      Stage{"/w", {{"a b", StageKind::link, 0755, 3, "t"}}},
                                      StagePresent{{"", "h"}},
                                      StagePart{1, 1U << 20U, std::string("\0x", 2)},
                                      StageTaken{2},
                                      StageEnd{},
                                      Staged{}};
  std::string bytes = "Welcome!\n" + std::string(magic);
  for (const Message& message : messages) bytes += encode(message);
  FrameReader reader(Opening::magic);
  std::vector<Message> seen;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    while (auto message = reader.next()) seen.push_back(*message);
  }
  EXPECT_EQ(seen, messages);
  EXPECT_EQ(reader.preamble(), "Welcome!\n");
}

TEST(Frame, KeepsWhatAShellPrintedWhenNoAgentAnswers) {
  FrameReader reader(Opening::magic);
  reader.feed("sh: 1: adarun-agent: not found\n");
  EXPECT_FALSE(reader.opened());
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.preamble(), "sh: 1: adarun-agent: not found\n");
}

TEST(Frame, RefusesWhatIsNoFrame) {
  struct Case {
    const char* name;
    std::string bytes;
  };
  const Case cases[] = {
      {"too long", std::string("\xff\xff\xff\xff\x00", 5)},
      {"unknown type", std::string("\x00\x00\x00\x00\xfe", 5)},
      {"ends early", std::string("\x02\x00\x00\x00\x08hi", 7)},
      {"packed bytes that are none", std::string("\x02\x00\x00\x00\x88\x7f\x01", 7)},
      {"bytes left over", std::string("\x01\x00\x00\x00\x07!", 6)},
      {"a query cut short", encode(sample_query()).replace(0, 1, "\x01").substr(0, 6)},
      {"a count beyond the payload", std::string("\x04\x00\x00\x00\x00\xff\xff\xff\x7f", 9)},
  };
  for (const Case& wrong : cases) {
    FrameReader reader(Opening::frame);
    reader.feed(wrong.bytes);
    EXPECT_THROW(reader.next(), Error) << wrong.name;
  }
}

TEST(Frame, PacksWhatIsLongAndRepeatsItselfButNeverOutput) {
  const std::string text(least_packed_bytes, 'x');
  const Common common{{}, {{"rank_table.json", text}}, {}, "", {}};
  const std::string packed = encode(common);
  EXPECT_LT(packed.size(), 100U);
  FrameReader reader(Opening::frame);
  reader.feed(packed);
  EXPECT_EQ(reader.next(), Message(common));
  EXPECT_GT(encode(Output{0, Stream::out, text}).size(), text.size());
}

// Old agents and launchers read the types that they know: a type keeps its number for ever.
TEST(Frame, NumbersItsTypesInTheOrderTheyCame) {
  EXPECT_EQ(Message(Joined{}).index(), 17U);
  EXPECT_EQ(Message(Query{}).index(), 18U);
  EXPECT_EQ(Message(Answer{}).index(), 19U);
  EXPECT_EQ(Message(Common{}).index(), 20U);
}

}  // namespace
}  // namespace adarun::wire
