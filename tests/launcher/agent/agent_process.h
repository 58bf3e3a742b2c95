// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

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

/// A scratch folder of a test, and Start messages whose folders are in it; removed at the end.
class JobFolder {
 public:
  JobFolder();
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// A job of one node without MPI whose ranks each run `programs[rank]`, with a long lease.
  protocol::Start start(std::vector<std::vector<std::string>> programs) const;

  /// Likewise, with one rank that runs a shell script.
  protocol::Start shell(const std::string& script) const { return start({{"/bin/sh", "-c", script}}); }

 private:
  std::filesystem::path path_;
};

/// Whether no process has this pid, not even one that waits to be reaped.
bool is_gone(pid_t pid);

/// Waits until the process has ended.
bool await_end(pid_t pid);

/// The number after `name=` in a program's output; 0 if there is none.
pid_t pid_in(const std::string& output, const std::string& name);

/// The folder of the agent's cgroups; empty if it can have none.
std::string place_of_groups();

/// Whether there is a group of node 0 of this job.
bool has_group_of(const std::string& job_id);

/// A test of the built agent, with a folder for its jobs.
class AgentTest : public testing::Test {
 protected:
  /// Sends a message, such as a Start, after which the agent ends; returns its exit status.
  int end_after(const protocol::Message& message) {
    agent_.send(message);
    return agent_.wait();
  }

  /// Stops the job at once, after which the agent ends well.
  void stop() { EXPECT_EQ(end_after(protocol::Stop{true}), 0); }

  /// The agent says that it has failed, for a reason that contains `part`.
  void expect_failure(const std::string& part) {
    const auto* failed = agent_.await<protocol::Failed>();
    ASSERT_NE(failed, nullptr) << part;
    EXPECT_NE(failed->message.find(part), std::string::npos) << failed->message;
  }

  JobFolder folder_;
  AgentProcess agent_;
};

}  // namespace adarun::launcher::agent
