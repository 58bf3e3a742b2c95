// SPDX-License-Identifier: Apache-2.0
#include "cli/staging_line.h"

#include <unistd.h>

#include "cli/counted.h"
#include "launcher/describe.h"

namespace adarun::cli {
namespace {

constexpr std::chrono::milliseconds between_lines{100};

}  // namespace

StagingLine::StagingLine(std::FILE* out) : out_(out), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

void StagingLine::show(const launcher::StageProgress& progress) {
  if (!is_terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + between_lines;
  is_shown_ = true;
  std::fprintf(out_, "\radarun: staging: %s of %s sent, %zu of %s done\x1b[K",
               launcher::describe_bytes(progress.bytes_sent).c_str(),
               launcher::describe_bytes(progress.bytes_due).c_str(), progress.nodes_done,
               counted(progress.nodes, "node").c_str());
  std::fflush(out_);
}

void StagingLine::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
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
