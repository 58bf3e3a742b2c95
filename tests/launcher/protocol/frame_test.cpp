// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/pack.h"

namespace adarun::launcher::protocol {
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

std::vector<Message> read_byte_by_byte(FrameReader& reader, const std::string& bytes) {
  std::vector<Message> seen;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    while (auto message = reader.next()) seen.push_back(*message);
  }
  return seen;
}

TEST(Frame, GivesBackEveryMessageOfAnAgentWhenFedByteByByte) {
  const std::vector<Message> messages{
      Hello{"0.1", "n0", 7, 5},
      Output{3, Stream::err, "x\r\n"},
      Exited{1, 7, 0, true},
      Done{},
      Abort{2, -1, "m"},
      Joined{3},
      StaysOn{4},
      LostPeer{4, 2},
      ListensAt{4, "node1:4242"},
      InputWanted{4, InputWanted::Kind::more, 4096},
      Halted{4, 21},
      Finalized{4},
      Abort{2, 50, "2 processes of ./worker", 9, EndingCall::spawn},
      NameRequest{1, Service::pmi, 4, NameAction::look_up, {{"a", "b", 2}}, true, 9},
      LeftRunning{true, 3, {{"redis-server", 2}, {}}},
      Fence{{}, "a=1\n", Service::pmi},
      Ready{false, "r", "w", true},
      sample_answer(),
      StagePresent{{"", "h"}},
      StageTaken{2},
      Staged{}};
  std::string bytes = "Welcome!\n" + std::string(magic);
  for (const Message& message : messages) bytes += encode(message);
  FrameReader reader(Opening::magic);
  EXPECT_EQ(read_byte_by_byte(reader, bytes), messages);
  EXPECT_EQ(reader.preamble(), "Welcome!\n");
}

TEST(Frame, GivesBackEveryMessageOfALauncher) {
  const std::vector<Message> messages{sample_start(),
                                      Ping{~std::uint64_t{}},
                                      FenceDone{{0, 1}, "x"},
                                      Input{3, std::string("a\0b", 3), true},
                                      sample_query(),
                                      Stage{"/w", {{"a b", StageKind::link, 0755, 3, "t"}}},
                                      StagePart{1, 1U << 20U, std::string("\0x", 2)},
                                      Members{2, {0, 3}, 3, "node2:4242"},
                                      StartAgain{3, 2},
                                      NameReply{1, Service::pmi, NameOutcome::unknown, {{"a", "b", 2}}},
                                      StageEnd{}};
  std::string bytes;
  for (const Message& message : messages) bytes += encode(message);
  FrameReader reader(Opening::frame);
  EXPECT_EQ(read_byte_by_byte(reader, bytes), messages);
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
    Sender sender = Sender::launcher;
  };
  const Case cases[] = {
      {"too long", std::string("\xff\xff\xff\xff\x00", 5)},
      {"unknown type", std::string("\x00\x00\x00\x00\xfe", 5)},
      {"ends early", std::string("\x02\x00\x00\x00\x08hi", 7)},
      {"packed bytes that are none", std::string("\x02\x00\x00\x00\x88\x7f\x01", 7)},
      {"bytes left over", std::string("\x01\x00\x00\x00\x07!", 6), Sender::agent},
      {"a query cut short", encode(sample_query()).replace(0, 1, "\x01").substr(0, 6)},
      {"a count beyond the payload", std::string("\x04\x00\x00\x00\x00\xff\xff\xff\x7f", 9), Sender::agent},
  };
  for (const Case& wrong : cases) {
    FrameReader reader(Opening::frame, wrong.sender);
    reader.feed(wrong.bytes);
    EXPECT_THROW(reader.next(), Error) << wrong.name;
  }
}

TEST(Frame, PacksWhatIsLongAndRepeatsItselfButNeverOutput) {
  const std::string text(least_packed_bytes, 'x');
  const JobSpec spec{{}, {{"rank_table.json", text}}, {}, "", {}};
  const std::string packed = encode(spec);
  EXPECT_LT(packed.size(), 100U);
  FrameReader reader(Opening::frame);
  reader.feed(packed);
  EXPECT_EQ(reader.next(), Message(spec));
  EXPECT_GT(encode(Output{0, Stream::out, text}).size(), text.size());
}

std::string refusal_of_agent(const std::string& bytes) {
  FrameReader reader(Opening::magic);
  reader.feed(std::string(magic) + bytes);
  try {
    return reader.next() ? "" : "not whole";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string frame_of(std::size_t type, const std::string& payload) {
  ArchiveWriter header;
  header(static_cast<std::uint32_t>(payload.size()), static_cast<std::uint8_t>(type));
  return header.take() + payload;
}

// What a reader of this sender's stream says to a message: nothing, or that it is not that side's to send.
std::string refusal_by_sender(const Message& message, Sender sender) {
  FrameReader reader(Opening::frame, sender);
  reader.feed(encode(message));
  try {
    return reader.next() == message ? "" : "another message";
  } catch (const Error& error) {
    return error.what();
  }
}

template <typename T>
void expect_its_direction_alone() {
  const T message;
  const std::string type = "frame: type " + std::to_string(Message(message).index());
  EXPECT_EQ(refusal_by_sender(message, Sender::agent),
            direction_of<T>() == Direction::to_agent ? type + ", which no agent sends" : "");
  EXPECT_EQ(refusal_by_sender(message, Sender::launcher),
            direction_of<T>() == Direction::to_launcher ? type + ", which no launcher sends" : "");
}

template <std::size_t... I>
void expect_directions(std::index_sequence<I...> /*types*/) {
  (expect_its_direction_alone<std::variant_alternative_t<I, Message>>(), ...);
}

TEST(Frame, TakesAMessageOnlyFromTheSideThatMaySendIt) {
  expect_directions(std::make_index_sequence<std::variant_size_v<Message>>());
  EXPECT_EQ(refusal_of_agent(encode(Members{})), "frame: type 42, which no agent sends");
  EXPECT_EQ(refusal_of_agent(encode(StartAgain{3, 2})), "frame: type 46, which no agent sends");
}

TEST(Frame, BoundsWhatAnAgentSendsBeforeItIsUnpacked) {
  const std::string much(20U << 20U, 'x');
  EXPECT_EQ(refusal_of_agent(encode(JobSpec{{}, {{"table", much}}, {}, "", {}})),
            "frame: type 20, which no agent sends");
  const std::string fence = encode(Fence{{}, much});
  EXPECT_LT(fence.size(), 100U);
  EXPECT_EQ(refusal_of_agent(fence).substr(0, 23), "packed bytes: a text of");
  EXPECT_EQ(refusal_of_agent(encode(Fence{{}, much.substr(0, 15U << 20U)})), "");
  EXPECT_EQ(refusal_of_agent(encode(Rendezvous{{much}})).substr(0, 23), "packed bytes: a text of");
  EXPECT_EQ(refusal_of_agent(encode(Output{0, Stream::out, much})),
            "frame: a payload of 20971537 bytes, at most 2097152");
}

TEST(Frame, BoundsTheTextsForPeople) {
  const std::string longest(most_brief_bytes, 'x');
  FrameReader reader(Opening::frame, Sender::agent);
  reader.feed(encode(Failed{StartFailure::not_found, longest + "y"}));
  EXPECT_EQ(reader.next(), Message(Failed{StartFailure::not_found, longest}));
  ArchiveWriter payload;  // From a writer that does not cut it.
  payload(std::uint32_t{1}, std::int32_t{2}, longest + "y", std::int64_t{3});
  EXPECT_EQ(refusal_of_agent(frame_of(Message(Abort{}).index(), payload.take())),
            "message: a text of 4097 bytes, at most 4096");
}

TEST(Frame, CutsNoCharacterInTwo) {
  const std::string text = std::string(most_brief_bytes - 1, 'x') + "\xc3\xa9";
  EXPECT_EQ(shortened(text), text.substr(0, most_brief_bytes - 1));
  EXPECT_EQ(shortened(std::string(9000, '\x80')).size(), most_brief_bytes - 3);
}

TEST(Frame, RefusesListsThatHoldFarMoreThanTheirBytes) {
  ArchiveWriter empty_texts;
  empty_texts(static_cast<std::uint32_t>(16U << 20U));
  const std::string packed = pack(empty_texts.take() + std::string(4U * (15U << 20U), '\0'));
  EXPECT_EQ(refusal_of_agent(frame_of(Message(StagePresent{}).index() | 0x80U, packed)),
            "message: holds more than 134217728 bytes");
}

TEST(Frame, RefusesTimesThatNoClockTells) {
  for (const std::int64_t time_ns : {std::int64_t{-1}, std::int64_t{1} << 62U})
    EXPECT_EQ(refusal_of_agent(encode(Pong{1, time_ns})), "message: a time that no clock tells");
}

TEST(Weight, CountsTextsAndLists) {
  EXPECT_EQ(held_bytes(Done{}), 0U);
  EXPECT_EQ(held_bytes(Output{0, Stream::out, "12345"}), 5U);
  EXPECT_EQ(held_bytes(Fence{{1, 2}, "123"}), 11U);
  EXPECT_EQ(held_bytes(StagePresent{{"", "ab"}}), 2 * sizeof(std::string) + 2);
  EXPECT_EQ(held_bytes(FileListing{{{"/abc"}}, {}, "12"}), sizeof(FoundFile) + 6);
}

// Old agents and launchers know types by number: a type must never change its number.
TEST(Frame, NumbersItsTypesInTheOrderTheyCame) {
  EXPECT_EQ(Message(Joined{}).index(), 17U);
  EXPECT_EQ(Message(Query{}).index(), 18U);
  EXPECT_EQ(Message(Answer{}).index(), 19U);
  EXPECT_EQ(Message(JobSpec{}).index(), 20U);
  EXPECT_EQ(Message(Suspend{}).index(), 39U);
}

}  // namespace
}  // namespace adarun::launcher::protocol
