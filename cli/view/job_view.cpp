// SPDX-License-Identifier: Apache-2.0
#include "cli/view/job_view.h"

#include <utility>

#include "base/describe.h"
#include "cli/arguments/rank_set.h"

namespace adarun::cli {

bool TerminalShare::takes(std::uint32_t rank, std::size_t bytes, std::size_t waiting, Clock::time_point now) {
  if (now >= next_beat_) {
    printed_.clear();
    next_beat_ = now + beat;
  }
  std::size_t& printed = printed_[rank];
  printed += bytes;
  if (waiting < room || (waiting < most && printed <= little)) return true;
  left_out_ += bytes;
  whose_.insert(rank);
  return false;
}

std::string TerminalShare::take_notice(Clock::time_point now) {
  if (left_out_ == 0 || now < next_notice_) return "";
  next_notice_ = now + between_notices;
  return last_notice();
}

std::string TerminalShare::last_notice() {
  if (left_out_ == 0) return "";
  const std::string ranks = shown_ranks(std::exchange(whose_, {}));
  const bool one = ranks.find_first_of(",-") == std::string::npos;
  return "... " + base::describe_bytes(std::exchange(left_out_, 0)) + " of " + (one ? "rank " : "ranks ") +
         ranks + " not shown: the terminal is slower; the logs have all";
}

bool JobView::shows(std::uint32_t rank, std::size_t bytes, std::FILE* stream) {
  return !output_.is_terminal(stream) ||
         share_.takes(rank, bytes, output_.waiting_bytes(stream), TerminalShare::Clock::now());
}

void JobView::say_what_was_not_shown(Notice notice) {
  const std::string line =
      notice == Notice::last ? share_.last_notice() : share_.take_notice(TerminalShare::Clock::now());
  if (!line.empty()) say(line);
}

}  // namespace adarun::cli
