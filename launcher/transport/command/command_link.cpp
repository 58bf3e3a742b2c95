// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/command_link.h"

#include <poll.h>

#include <array>
#include <csignal>

#include "base/clean_text.h"
#include "base/describe.h"
#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds from_term_to_kill{500};
// From the end of a command's stdout to its own, which has the exit status.
constexpr std::chrono::milliseconds from_end_to_exit{300};
constexpr std::size_t most_text_bytes = 160;
// An agent that sends no more has seen the end of stdin before anything else.
constexpr std::size_t first_messages_bytes = 4096;

constexpr std::size_t most_output_bytes = std::size_t{1} << 20U;
constexpr std::chrono::milliseconds output_beat{10};

// Adds what the program prints until it closes its stdout; false at the end of the time.
bool read_all(PipeLink& program, Clock::time_point end, std::string& output) {
  while (Clock::now() < end && output.size() <= most_output_bytes) {
    pollfd polled{program.fd(), POLLIN, 0};
    poll(&polled, 1, static_cast<int>(output_beat.count()));
    std::array<char, 4096> buffer{};
    output.append(buffer.data(), program.read(buffer));
    if (program.ended()) return true;
  }
  return false;
}

// Waits for a program that is about to exit; whether it has.
bool has_exited_by(const PipeLink& program, Clock::time_point end) {
  while (!program.has_exited()) {
    if (Clock::now() >= end) return false;
    poll(nullptr, 0, static_cast<int>(output_beat.count()));
  }
  return true;
}

// Ends the program and all that it has started. One that the kernel does not end is left.
void end(PipeLink& program) {
  constexpr std::chrono::seconds to_die{5};
  program.signal(SIGKILL);
  has_exited_by(program, Clock::now() + to_die);
  program.close();
}

constexpr std::size_t kept_bytes = 128;
// An agent's magic, and the lines by which a node asks for a build, begin so.
constexpr std::string_view mark =
    "\x01"
    "adarun-agent ";

bool is_altered(std::string_view bytes) {
  const std::size_t begin = bytes.find(mark);
  if (begin == std::string_view::npos) return false;
  const std::size_t end = bytes.find('\n', begin);
  return end != std::string_view::npos && bytes[end - 1] == '\r';
}

}  // namespace

CommandLink::~CommandLink() {
  if (!pipe_ || CommandLink::close()) return;
  if (!watch_.has_agent()) pipe_->signal(SIGKILL);
  if (watch_.has_agent() && at_the_end_ == AtTheEnd::terminate) pipe_->signal(SIGTERM);
}

bool CommandLink::open() {
  if (!pipe_) pipe_ = std::make_unique<PipeLink>(words_, PipeLink::Stderr::kept, files_);
  return true;
}

std::size_t CommandLink::read(std::span<char> buffer) {
  const std::size_t size = pipe_->read(buffer);
  if (watch_.has_agent()) read_bytes_ += size;
  if (size == 0 && pipe_->ended() && status_due_ == Clock::time_point())
    status_due_ = Clock::now() + from_end_to_exit;
  try {
    watch_.take({buffer.data(), size});
  } catch (const Error& error) {
    throw Error(base::clean_line(text_, most_text_bytes) + ": " + error.what());
  }
  return size;
}

bool CommandLink::ended() const {
  return pipe_->ended() && (pipe_->has_exited() || Clock::now() >= status_due_);
}

std::string CommandLink::status_text() {
  std::string text = base::clean_line(text_, most_text_bytes);
  if (!pipe_) return text;
  std::string words = pipe_->status_text();
  words.erase(words.find_last_not_of(" \r\n") + 1);
  if (watch_.has_carriage_returns()) words += " (lines end in CR LF: is a terminal in between, as by -t?)";
  if (watch_.has_agent() && pipe_->ended() && read_bytes_ < first_messages_bytes)
    words += " (does it pass stdin on, as docker's -i does?)";
  return text + (words.empty() || words.front() == ' ' ? "" : ": ") + words;
}

bool CommandLink::close() {
  if (!pipe_) return true;
  if (!watch_.has_agent() && pipe_->has_exited()) pipe_->signal(SIGKILL);  // What it has left running.
  if (pipe_->close()) {
    pipe_.reset();
    return true;
  }
  if (watch_.has_agent()) return false;
  if (!is_closing_) {
    is_closing_ = true;
    kill_at_ = Clock::now() + from_term_to_kill;
    pipe_->signal(SIGTERM);
  } else if (Clock::now() >= kill_at_) {
    pipe_->signal(SIGKILL);
  }
  return false;
}

std::string output_of(const std::vector<std::string>& argv, std::chrono::milliseconds deadline) {
  const base::FileLimit files;
  PipeLink program(argv, PipeLink::Stderr::kept, files);
  const Clock::time_point until = Clock::now() + deadline;
  std::string output;
  const bool has_ended = read_all(program, until, output) && has_exited_by(program, until);
  const std::string words = base::clean_line(program.status_text());
  end(program);
  if (output.size() > most_output_bytes) throw Error(argv[0] + ": prints more than 1 MiB");
  if (!has_ended) throw Error(argv[0] + ": has not ended within " + base::describe(deadline));
  if (output.empty()) throw Error(argv[0] + ": has printed nothing" + (words.empty() ? "" : ": " + words));
  return output;
}

void OutputWatch::take(std::string_view bytes) {
  if (has_agent_) return;
  taken_bytes_ += bytes.size();
  tail_ += bytes;
  has_agent_ = tail_.find(protocol::magic) != std::string::npos;
  if (has_agent_) return tail_.clear();
  has_carriage_returns_ = has_carriage_returns_ || tail_.find("\r\n") != std::string::npos;
  if (is_altered(tail_))
    throw Error(
        "what the agent prints arrives altered, with CR LF at line ends: is a terminal in between (-t)?");
  if (taken_bytes_ > most_bytes)
    throw Error("it has printed more than " + std::to_string(most_bytes >> 20U) +
                " MiB, and no agent answers");
  if (tail_.size() > kept_bytes) tail_.erase(0, tail_.size() - kept_bytes);
}

}  // namespace adarun::launcher
