// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/command_reader.h"

#include <utility>

#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent::pmi {

void CommandReader::feed(std::string_view bytes) {
  buffer_.erase(0, std::exchange(used_, 0));
  buffer_ += bytes;
}

std::optional<Command> CommandReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', used_);
    const std::string_view line = std::string_view(buffer_).substr(used_, end - used_);
    if (line.size() > max_line_bytes) throw Error("PMI: a line of more than 8 KiB");
    if (end == std::string::npos) return std::nullopt;
    used_ = end + 1;
    if (auto command = take(line)) return command;
  }
}

std::optional<Command> CommandReader::take(std::string_view line) {
  constexpr std::string_view opening = "mcmd=";
  if (open_) {
    if (line == "endcmd") return std::exchange(open_, std::nullopt);
    open_bytes_ += line.size() + 1;
    if (open_bytes_ > max_command_bytes) throw Error("PMI: a command of more than 64 KiB");
    auto pair = parse_pair(line);
    if (!pair) throw Error("PMI: no KEY=VALUE in a command of several lines");
    open_->values.push_back(std::move(*pair));
    return std::nullopt;
  }
  if (line.empty()) return std::nullopt;
  if (line.substr(0, opening.size()) == opening) {
    open_ = Command{std::string(line.substr(opening.size())), {}};
    open_bytes_ = 0;
    return std::nullopt;
  }
  auto command = parse_line(line);
  if (!command) throw Error("PMI: a line that is no command");
  return command;
}

}  // namespace adarun::launcher::agent::pmi
