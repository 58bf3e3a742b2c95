// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/command_link.h"

#include <csignal>

#include "base/clean_text.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds from_term_to_kill{500};
// From the end of a command's stdout to its own, which has the exit status.
constexpr std::chrono::milliseconds from_end_to_exit{300};
constexpr std::size_t most_text_bytes = 160;
// An agent that sends no more has seen the end of stdin before anything else.
constexpr std::size_t first_messages_bytes = 4096;

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

}  // namespace adarun::launcher
