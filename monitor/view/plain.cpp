// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/plain.h"

#include <algorithm>
#include <limits>

#include "base/describe.h"
#include "monitor/base/text.h"
#include "monitor/series/facts.h"

namespace adarun::monitor {
namespace {

// The last position that every rank still running has reached; nothing while one has no position.
std::optional<std::uint64_t> common_position(const Run& run) {
  std::uint64_t common = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [number, rank] : run.ranks()) {
    if (has_ended(rank.state)) continue;
    if (!rank.last) return std::nullopt;
    common = std::min(common, rank.last->position);
  }
  return common;
}

}  // namespace

std::vector<std::string> PlainView::due(const Run& run, Clock::time_point now) {
  constexpr std::chrono::seconds timeout(2);
  if (!run.has_loss()) return {};
  follow_attempts(run);
  std::vector<std::string> lines;
  if (const auto common = common_position(run)) lines = lines_up_to(run, *common);
  const std::uint64_t last = run.position();
  if (printed_ && last <= *printed_) {
    waiting_.reset();
  } else if (!waiting_ || (printed_ && *waiting_ <= *printed_)) {
    waiting_ = last;
    since_ = now;
  } else if (now - since_ >= timeout) {
    const std::vector<std::string> late = lines_up_to(run, *waiting_);
    lines.insert(lines.end(), late.begin(), late.end());
    waiting_.reset();
  }
  return lines;
}

std::vector<std::string> PlainView::rest(const Run& run) {
  return lines_up_to(run, std::numeric_limits<std::uint64_t>::max());
}

// Steps that an attempt does again are printed again.
void PlainView::follow_attempts(const Run& run) {
  const auto& begin = run.attempts().back().begin;
  if (!begin || run.attempts().size() == attempts_) return;
  attempts_ = run.attempts().size();
  if (printed_ && *printed_ >= begin->position) printed_ = std::max<std::uint64_t>(begin->position, 1) - 1;
}

std::vector<std::string> PlainView::lines_up_to(const Run& run, std::uint64_t position) {
  std::vector<std::string> lines;
  follow_attempts(run);
  if (printed_ && run.position() < *printed_) printed_.reset();  // The run restarted.
  const std::vector<MergedPoint>& merged = run.merged();
  auto point = printed_
                   ? std::partition_point(merged.begin(), merged.end(),
                                          [&](const MergedPoint& each) { return each.position <= *printed_; })
                   : merged.begin();
  for (; point != merged.end() && point->position <= position; ++point) {
    lines.push_back(plain_line(*point, run));
    printed_ = point->position;
  }
  return lines;
}

std::string plain_line(const MergedPoint& point, const Run& run) {
  std::string line = place_text(point.epoch, point.step) + "  loss " + median_text(point);
  if (point.ranks > 1) {
    line += " (min " + loss_text(point.min) + ", max " + loss_text(point.max) + " over " +
            base::counted(point.ranks, "rank") + ")";
  }
  if (point.not_finite > 0) line += "  nan or inf on " + base::counted(point.not_finite, "rank");
  if (const auto throughput = images_per_s_at(run, point.position)) {
    line += "  " + throughput_text(*throughput);
  }
  return line;
}

}  // namespace adarun::monitor
