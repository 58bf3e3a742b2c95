// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent::pmi {
namespace {

bool has_value(const Command& command, const std::string& key) {
  return std::ranges::find(command.values, key, &std::pair<std::string, std::string>::first) !=
         command.values.end();
}

}  // namespace

std::string_view Command::value(std::string_view key) const {
  const auto found =
      std::find_if(values.rbegin(), values.rend(), [key](const auto& pair) { return pair.first == key; });
  return found == values.rend() ? std::string_view() : found->second;
}

std::optional<std::pair<std::string, std::string>> parse_pair(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

// A name that a program publishes, or its port, may hold blanks and '=', which MPICH does not mask.
std::optional<Command> parse_line(std::string_view line) {
  Command command;
  const auto is_more_of_a_value = [&command](const auto& pair) {
    if (!command.name.ends_with("_name") || command.values.empty()) return false;
    const bool begins_port = command.name == "publish_name" && pair && pair->first == "port";
    const bool begins_value = begins_port || (pair && pair->first == "service");
    return !begins_value || has_value(command, pair->first);
  };
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    if (word.empty()) continue;
    auto pair = parse_pair(word);
    if (is_more_of_a_value(pair)) {
      (command.values.back().second += ' ') += word;
      continue;
    }
    if (!pair) return std::nullopt;
    if (!command.name.empty()) {
      command.values.push_back(std::move(*pair));
    } else if (pair->first == "cmd" && !pair->second.empty()) {
      command.name = std::move(pair->second);
    } else {
      return std::nullopt;
    }
  }
  if (command.name.empty()) return std::nullopt;
  return command;
}

std::string line_of(const Command& command) {
  std::string line = "cmd=" + command.name;
  for (const auto& [key, value] : command.values) line += ' ' + key + '=' + value;
  return line + '\n';
}

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

namespace {

bool comes_later(int error) {
  return error == EAGAIN || error == EINTR;
}

}  // namespace

// Requests that were left for lack of room are taken once there is room. answer() and tell() may make it,
// too, between two exchanges: so POLLOUT is awaited as long as requests are left.
short Client::events() const {
  const bool has_request = reader_.has_line();
  const bool is_to_write = !unread_.empty() || !told_.empty() || has_request;
  return static_cast<short>((has_room() && !has_request ? POLLIN : 0) | (is_to_write ? POLLOUT : 0));
}

bool Client::exchange() {
  send();
  if (!socket_ || !has_room()) return false;
  if (reader_.has_line()) return true;
  std::array<char, turn_bytes> bytes;  // NOLINT: filled by recv
  const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0 && comes_later(errno)) return false;
  if (size <= 0) {
    close();
    return false;
  }
  reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
  return true;
}

std::optional<Command> Client::next() {
  return has_room() ? reader_.next() : std::nullopt;
}

void Client::answer(const Command& command) {
  if (deaf_ || !socket_) return;
  unread_ += line_of(command);
  send();
}

void Client::tell(const Command& command) {
  if (deaf_ || !socket_) return;
  told_ = line_of(command);
  send();
}

void Client::send() {
  if (unread_.empty()) unread_ = std::exchange(told_, {});
  if (unread_.empty() || !socket_) return;
  const ssize_t size = ::send(socket_.get(), unread_.data(), unread_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size < 0 && comes_later(errno)) return;
  deaf_ = size < 0;
  unread_.erase(0, deaf_ ? unread_.size() : static_cast<std::size_t>(size));
}

}  // namespace adarun::launcher::agent::pmi
