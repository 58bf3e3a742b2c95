// SPDX-License-Identifier: Apache-2.0
// Any bytes from a rank's socket are commands or an Error, the same however they are split; a command of one
// line can be written and read again; published data stays within its limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmi/client.h"
#include "launcher/agent/mpi/pmi/key_values.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace pmi = adarun::launcher::agent::pmi;

namespace {

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

}  // namespace

FUZZ_TARGET(pmi_command) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const ReadCommands whole = read_commands(bytes, size);
  demand(read_commands(bytes, 1U + data[0]) == whole);
  for (const pmi::Command& command : whole.commands) {
    if (!is_of_one_line(command)) continue;
    std::string_view line;
    const std::string written = pmi::line_of(command);
    line = std::string_view(written).substr(0, written.size() - 1);
    demand(pmi::parse_line(line) == command);
  }
  publish(whole.commands);
  pmi::KeyValues(0).add(bytes);
  return 0;
}
