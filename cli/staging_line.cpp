// SPDX-License-Identifier: Apache-2.0
#include "cli/staging_line.h"

#include "cli/counted.h"
#include "cli/terminal_line.h"
#include "launcher/describe.h"

namespace adarun::cli {

std::string staging_line(const launcher::StageProgress& progress) {
  return "adarun: staging: " + progress_bar(progress.bytes_sent, progress.bytes_due) + " " +
         launcher::describe_bytes(progress.bytes_sent) + " of " +
         launcher::describe_bytes(progress.bytes_due) + " sent, " + std::to_string(progress.nodes_done) +
         " of " + counted(progress.nodes, "node") + " done";
}

std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time) {
  std::string text = "staged " + counted(progress.files, "file") + " (" + launcher::describe_bytes(bytes) +
                     ") on " + counted(progress.nodes, "node") + " in " + launcher::describe(time) + ": ";
  const bool all_there = progress.files_kept == progress.files * progress.nodes;
  if (all_there) return text + "all there already";
  text += launcher::describe_bytes(progress.bytes_sent) + " sent";
  return progress.files_kept == 0 ? text : text + ", the rest was there";
}

}  // namespace adarun::cli
