// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/output_of.h"

#include <poll.h>

#include <array>
#include <csignal>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/process.h"
#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"
#include "launcher/transport/local/local_reach.h"

namespace adarun::launcher {
namespace {

using OutputClock = std::chrono::steady_clock;

constexpr std::size_t most_output_bytes = std::size_t{1} << 20U;
constexpr std::chrono::milliseconds output_beat{10};

// Adds what the program prints until it closes its stdout; false at the end of the time.
bool read_all(PipeLink& program, OutputClock::time_point end, std::string& output) {
  while (OutputClock::now() < end && output.size() <= most_output_bytes) {
    pollfd polled{program.fd(), POLLIN, 0};
    poll(&polled, 1, static_cast<int>(output_beat.count()));
    std::array<char, 4096> buffer{};
    output.append(buffer.data(), program.read(buffer));
    if (program.ended()) return true;
  }
  return false;
}

// Waits for a program that is about to exit; whether it has.
bool has_exited_by(const PipeLink& program, OutputClock::time_point end) {
  while (!program.has_exited()) {
    if (OutputClock::now() >= end) return false;
    poll(nullptr, 0, static_cast<int>(output_beat.count()));
  }
  return true;
}

// Ends the program and all that it has started. One that the kernel does not end is left.
void end(PipeLink& program) {
  constexpr std::chrono::seconds to_die{5};
  program.signal(SIGKILL);
  has_exited_by(program, OutputClock::now() + to_die);
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

std::string output_of(const std::vector<std::string>& argv, std::chrono::milliseconds deadline) {
  const base::FileLimit files;
  PipeLink program(argv, PipeLink::Stderr::kept, files);
  const OutputClock::time_point until = OutputClock::now() + deadline;
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
