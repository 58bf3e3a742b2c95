// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmi/client.h"
#include "launcher/agent/mpi/pmi/key_values.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/pack.h"
#include "launcher/protocol/spool.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scratch_folder.h"

namespace protocol = adarun::launcher::protocol;
namespace pmi = adarun::launcher::agent::pmi;

namespace {

constexpr std::size_t all_bytes = std::string_view::npos;

struct ReadFrames {
  std::vector<protocol::Message> messages;
  std::string preamble;
  std::string error;

  bool operator==(const ReadFrames&) const = default;
};

ReadFrames read_frames(std::string_view bytes, protocol::Opening opening, protocol::Sender sender,
                       std::size_t piece_bytes) {
  ReadFrames outcome;
  protocol::FrameReader reader(opening, sender);
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
      reader.feed(bytes.substr(0, piece_bytes));
      while (const auto message = reader.next()) outcome.messages.push_back(*message);
    }
  } catch (const protocol::Error& error) {
    outcome.error = error.what();
  }
  outcome.preamble = reader.preamble();
  return outcome;
}

// Any bytes are messages or an Error, the same however the stream is split; a message that was read can be
// written and read again. The first byte selects the opening and the size of the pieces.
void fuzz_frame_reader(std::string_view bytes) {
  const unsigned choice = take_byte(bytes);
  const protocol::Opening opening = choice % 2 == 0 ? protocol::Opening::frame : protocol::Opening::magic;
  const protocol::Sender sender =
      opening == protocol::Opening::frame ? protocol::Sender::launcher : protocol::Sender::agent;
  const ReadFrames whole = read_frames(bytes, opening, sender, all_bytes);
  demand(read_frames(bytes, opening, sender, 1 + choice / 2) == whole);
  for (const protocol::Message& message : whole.messages)
    demand(read_frames(protocol::encode(message), protocol::Opening::frame, sender, all_bytes).messages ==
           std::vector{message});
}

constexpr std::size_t most_text_bytes = std::size_t{1} << 16;

void require_round_trip(std::string_view text) {
  demand(protocol::unpack(protocol::pack(text), text.size()) == text);
}

// Any bytes are unchanged after packing and unpacking. Any bytes as packed data give a text of the allowed
// size, which can be packed and read again, or an Error.
void fuzz_pack(std::string_view bytes) {
  require_round_trip(bytes);
  try {
    const std::string text = protocol::unpack(bytes, most_text_bytes);
    demand(text.size() <= most_text_bytes);
    require_round_trip(text);
  } catch (const protocol::Error&) {
  }
}

// Any bytes as a spool file of an agent give its pieces, no more bytes than it has, or an Error.
void fuzz_spool_file(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("spool", bytes);
  try {
    protocol::KeptStream stream(path);
    demand(stream.found());
    std::size_t read_bytes = 0;
    while (const auto piece = stream.next()) read_bytes += piece->size();
    demand(read_bytes <= bytes.size());
  } catch (const protocol::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
}

struct ReadCommands {
  std::vector<pmi::Command> commands;
  std::string error;

  bool operator==(const ReadCommands&) const = default;
};

ReadCommands read_commands(std::string_view bytes, std::size_t piece_bytes) {
  ReadCommands outcome;
  pmi::CommandReader reader;
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
      reader.feed(bytes.substr(0, piece_bytes));
      while (auto command = reader.next()) outcome.commands.push_back(std::move(*command));
    }
  } catch (const adarun::launcher::agent::Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

bool is_of_one_line(const pmi::Command& command) {
  const auto blank = [](const std::string& text) { return text.find(' ') != std::string::npos; };
  return !command.name.empty() && !blank(command.name) &&
         std::none_of(command.values.begin(), command.values.end(),
                      [&](const auto& pair) { return blank(pair.first) || blank(pair.second); });
}

void publish(const std::vector<pmi::Command>& commands) {
  constexpr std::size_t limit = 256;
  pmi::KeyValues here(limit);
  for (const pmi::Command& command : commands)
    here.put(std::string(command.value("key")), std::string(command.value("value")));
  const std::string lines = here.take_new();
  demand(lines.size() <= limit);
  pmi::KeyValues there(limit);
  there.add(lines);
  for (const pmi::Command& command : commands) {
    const std::string* value = here.find(command.value("key"));
    demand(value == nullptr ||
           (there.find(command.value("key")) != nullptr && *there.find(command.value("key")) == *value));
  }
}

// Any bytes from a rank's socket are commands or an Error, the same however they are split; a command of one
// line can be written and read again; published data stays within its limits.
void fuzz_pmi_command(std::string_view bytes) {
  const unsigned choice = take_byte(bytes);
  const ReadCommands whole = read_commands(bytes, all_bytes);
  demand(read_commands(bytes, 1 + choice) == whole);
  for (const pmi::Command& command : whole.commands) {
    if (!is_of_one_line(command)) continue;
    const std::string written = pmi::line_of(command);
    demand(pmi::parse_line(std::string_view(written).substr(0, written.size() - 1)) == command);
  }
  publish(whole.commands);
  pmi::KeyValues(0).add(bytes);
}

const FuzzTargets protocol_targets{
    {"frame_reader", fuzz_frame_reader},
    {"pack", fuzz_pack},
    {"spool_file", fuzz_spool_file},
    {"pmi_command", fuzz_pmi_command},
};

}  // namespace
