// SPDX-License-Identifier: Apache-2.0
#include "cli/staging_line.h"

#include <unistd.h>

#include <array>

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
               describe_bytes(progress.bytes_sent).c_str(), describe_bytes(progress.bytes_due).c_str(),
               progress.nodes_done, counted(progress.nodes, "node").c_str());
  std::fflush(out_);
}

void StagingLine::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
}

std::string describe_bytes(std::uint64_t bytes) {
  constexpr std::array units{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return counted(bytes, "byte");
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < units.size(); ++unit) value /= 1000;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", value, units[unit]);
  return text.data();
}

std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time) {
  std::string text = "staged " + counted(progress.files, "file") + " (" + describe_bytes(bytes) + ") on " +
                     counted(progress.nodes, "node") + " in " + launcher::describe(time) + ": ";
  const bool all_there = progress.files_kept == progress.files * progress.nodes;
  if (all_there) return text + "all there already";
  text += describe_bytes(progress.bytes_sent) + " sent";
  return progress.files_kept == 0 ? text : text + ", the rest was there";
}

}  // namespace adarun::cli
