// SPDX-License-Identifier: Apache-2.0
#include "cli/job_view.h"

#include <sstream>
#include <utility>

namespace adarun::cli {

void JobView::on_examined(std::uint32_t rank, const std::string& text) {
  constexpr int most_lines = 40;
  if (std::exchange(has_shown_examined_, true)) return;
  say("rank " + std::to_string(rank) + ", as it hangs:");
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < most_lines && std::getline(lines, line); ++i) say("    " + line);
}

}  // namespace adarun::cli
