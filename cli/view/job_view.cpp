// SPDX-License-Identifier: Apache-2.0
#include "cli/view/job_view.h"

namespace adarun::cli {

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
