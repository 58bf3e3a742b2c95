// SPDX-License-Identifier: Apache-2.0
#include "cli/session/staging_line.h"

#include "base/describe.h"
#include "cli/console/terminal_line.h"

namespace adarun::cli {

std::string staging_line(const launcher::StageProgress& progress) {
  return "adarun: staging: " + progress_bar(progress.bytes_sent, progress.bytes_due) + " " +
         base::describe_bytes(progress.bytes_sent) + " of " + base::describe_bytes(progress.bytes_due) +
         " sent, " + std::to_string(progress.nodes_done) + " of " + base::counted(progress.nodes, "node") +
         " done";
}

std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time) {
  std::string text = "staged " + base::counted(progress.files, "file") + " (" + base::describe_bytes(bytes) +
                     ") on " + base::counted(progress.nodes, "node") + " in " + base::describe(time) + ": ";
  const bool all_there = progress.files_kept == progress.files * progress.nodes;
  if (all_there) return text + "all there already";
  text += base::describe_bytes(progress.bytes_sent) + " sent";
  return progress.files_kept == 0 ? text : text + ", the rest was there";
}

}  // namespace adarun::cli
