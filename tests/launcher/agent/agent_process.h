// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/protocol/frame.h"

namespace adarun::launcher::agent {

/// The deadline of every wait in these tests.
inline constexpr std::chrono::seconds timeout{30};

/// The built adarun-agent as a child, with the test as its launcher over two pipes.
class AgentProcess {
 public:
  /// `program`: a copy of the agent to run; empty: the built one.
  explicit AgentProcess(const std::string& program = "");
  ~AgentProcess();
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  void send(const protocol::Message& message) { send_bytes(protocol::encode(message)); }
  void send_bytes(std::string_view bytes);

  /// Closes the pipe that the agent reads, as the death of a launcher does, or the one that it writes alone.
  void close_input();
  void close_output();

  /// The next message; nothing at the end of the stream or of the test's timeout.
  std::optional<protocol::Message> next();

  /// The descriptor to wait on, and the messages that are complete after one read of it; no message does not
  /// mean the end.
  int fd() const { return out_; }
  std::vector<protocol::Message> read_ready();

  /// The first message of type T, received or still to come, for which `wanted` holds; null if there is none.
  template <typename T>
  const T* await(const std::function<bool(const T&)>& wanted = [](const T&) { return true; });

  /// Like await, but removes the message, so that the next call finds the next one.
  template <typename T>
  std::optional<T> take();

  /// Reads until the rank's output in this stream contains `text`.
  bool await_output(std::uint32_t rank, const std::string& text,
                    protocol::Stream stream = protocol::Stream::out);

  /// All output of the rank so far.
  std::string output(std::uint32_t rank, protocol::Stream stream = protocol::Stream::out) const;

  /// Reads to the end of the stream, reaps the agent and returns its exit status, 128 + n after signal n; -1
  /// if it does not end.
  int wait();

  /// How many bytes of the agent's stream next() has returned as messages.
  std::uint64_t position() const { return reader_.position(); }

  pid_t pid() const { return pid_; }
  const std::vector<protocol::Message>& seen() const { return seen_; }

 private:
  bool read_more();

  pid_t pid_ = -1;
  int in_ = -1;   // We write, the agent reads.
  int out_ = -1;  // The agent writes, we read.
  protocol::FrameReader reader_{protocol::Opening::magic};
  std::vector<protocol::Message> seen_;
};

template <typename T>
const T* AgentProcess::await(const std::function<bool(const T&)>& wanted) {
  for (std::size_t i = 0; i < seen_.size() || next(); ++i)
    if (const T* message = std::get_if<T>(&seen_[i]); message != nullptr && wanted(*message)) return message;
  return nullptr;
}

template <typename T>
std::optional<T> AgentProcess::take() {
  const T* found = await<T>();
  if (found == nullptr) return std::nullopt;
  T result = *found;
  for (auto at = seen_.begin(); at != seen_.end(); ++at)
    if (std::get_if<T>(&*at) == found) {
      seen_.erase(at);
      break;
    }
  return result;
}

}  // namespace adarun::launcher::agent
