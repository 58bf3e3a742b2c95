// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.h"
#include "launcher/transport/command/remote_command.h"
#include "launcher/transport/local/local_reach.h"

namespace adarun::launcher {

/// Watches the beginning of what a command prints on stdout, up to the first bytes of an agent. It keeps no
/// more than the last line, in part.
class OutputWatch {
 public:
  /// The most that may be printed before an agent answers.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20U;

  /// Adds bytes that were printed. Throws Error if there were too many without an agent, or if an agent's
  /// first line ends in CR LF: something on the way, such as a terminal, alters the bytes.
  void take(std::string_view bytes);

  /// Whether an agent answers; further bytes are ignored.
  bool has_agent() const { return has_agent_; }

  /// Whether a line has ended in CR LF.
  bool has_carriage_returns() const { return has_carriage_returns_; }

 private:
  std::string tail_;
  std::size_t taken_bytes_ = 0;
  bool has_agent_ = false;
  bool has_carriage_returns_ = false;
};

/// A program on a node, run by a command of this machine, which starts when the link opens. A command that
/// has not brought an agent is ended with the link. One that has may be the agent itself (`ip netns exec`),
/// which is to live on if it is reached over another link: it sees the end of its stdin, and gets TERM only
/// from the destructor.
class CommandLink : public Link {
 public:
  /// `files` must outlive the link.
  CommandLink(const RemoteCommand& command, const CommandTarget& target,
              const std::vector<std::string>& program, const base::FileLimit& files)
      : CommandLink(words_of(command, target, program), text_of(command, target), AtTheEnd::terminate,
                    files) {}
  ~CommandLink() override;
  CommandLink(const CommandLink&) = delete;
  CommandLink& operator=(const CommandLink&) = delete;

  int fd() const override { return pipe_ && !pipe_->ended() ? pipe_->fd() : -1; }
  short wanted() const override { return pipe_ ? pipe_->wanted() : short{0}; }
  bool open() override;
  std::size_t read(std::span<char> buffer) override;
  std::size_t write(std::string_view bytes) override { return pipe_->write(bytes); }
  bool ended() const override;
  std::string status_text() override;
  bool close() override;

 protected:
  /// What the destructor does to a command that has brought an agent and still runs.
  enum class AtTheEnd { terminate, leave };

  /// A command by its words, which messages call `text`.
  CommandLink(std::vector<std::string> words, std::string text, AtTheEnd at_the_end,
              const base::FileLimit& files)
      : words_(std::move(words)), text_(std::move(text)), at_the_end_(at_the_end), files_(files) {}

  /// What the command itself has said, or how it ended.
  std::string said() const { return pipe_ ? pipe_->status_text() : std::string(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<std::string> words_;
  std::string text_;  ///< For messages.
  AtTheEnd at_the_end_;
  const base::FileLimit& files_;
  std::unique_ptr<PipeLink> pipe_;  ///< None before the link opens, and once its process is reaped.
  OutputWatch watch_;
  std::size_t read_bytes_ = 0;      ///< Of the agent.
  Clock::time_point status_due_{};  ///< By when its exit status is known, once its stdout has ended.
  bool is_closing_ = false;
  Clock::time_point kill_at_{};
};

/// What a program of this machine prints on stdout, up to 1 MiB. Throws Error, with its stderr, if it cannot
/// be started, has not ended after `deadline`, or prints nothing or too much; it is then ended.
std::string output_of(const std::vector<std::string>& argv, std::chrono::milliseconds deadline);

}  // namespace adarun::launcher
