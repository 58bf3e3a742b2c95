// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_tools/progress_dataset.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace adarun::trainer::data_tools {
namespace {

constexpr std::chrono::milliseconds between_lines{100};
constexpr std::size_t bar_width = 20;

}  // namespace

ProgressDataset::ProgressDataset(const Dataset& dataset, std::string what, std::size_t count)
    : dataset_(dataset),
      what_(std::move(what)),
      count_(std::min(count, dataset.size())),
      is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressDataset::~ProgressDataset() {
  if (taken_ > 0 && is_terminal_) std::fputs("\r\x1b[K", stderr);
}

Image ProgressDataset::picture(std::size_t index) const {
  ++taken_;
  if (is_terminal_ && Clock::now() >= next_) show();
  return dataset_.picture(index);
}

void ProgressDataset::show() const {
  next_ = Clock::now() + between_lines;
  const std::size_t full = bar_width * std::min(taken_, count_) / std::max<std::size_t>(count_, 1);
  const std::string bar = std::string(full, '#') + std::string(bar_width - full, '.');
  std::fprintf(stderr, "\radarun-trainer: %s: [%s] %zu of %zu images\x1b[K", what_.c_str(), bar.c_str(),
               taken_, count_);
}

}  // namespace adarun::trainer::data_tools
