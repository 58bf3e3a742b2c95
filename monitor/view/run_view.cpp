// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/run_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "monitor/view/curve.h"
#include "monitor/view/facts.h"
#include "monitor/view/rank_table.h"

namespace adarun::monitor {
namespace {

std::string of_total(std::uint64_t part, const std::optional<std::uint64_t>& total) {
  return std::to_string(part) + (total ? "/" + std::to_string(*total) : "");
}

std::string duration_text(std::chrono::seconds duration) {
  std::array<char, 32> text{};
  const auto seconds = static_cast<long long>(duration.count());
  if (seconds < 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", seconds / 60, seconds % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60,
                  seconds % 60);
  }
  return text.data();
}

std::string rate_text(double per_s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), per_s < 10 ? "%.2f steps/s" : "%.0f steps/s", per_s);
  return text.data();
}

Line headline(const Run& run, const Pace& pace, const Style& style) {
  Line line(style.width, style.color);
  if (const MergedPoint* now = current_point(run)) {
    line.add("epoch " + of_total(now->epoch, run.epochs()), Paint::strong);
    const bool counts_on = run.steps_per_epoch() && now->step > *run.steps_per_epoch();
    line.add("  step " + of_total(now->step, counts_on ? std::nullopt : run.steps_per_epoch()),
             Paint::strong);
  } else {
    line.add("waiting for the first loss line", Paint::strong);
  }
  if (!run.ranks().empty()) line.add("   " + counted(run.ranks().size(), "rank"));
  if (const auto images = images_per_s(run)) {
    line.add("   " + count_text(static_cast<std::uint64_t>(std::llround(*images))) + " images/s");
  }
  if (pace.steps_per_s) line.add("   " + rate_text(*pace.steps_per_s));
  if (const auto share = accuracy(run)) line.add("   accuracy " + loss_text(*share), Paint::good);
  if (pace.elapsed) line.add("   " + duration_text(*pace.elapsed), Paint::dim);
  return line;
}

Line loss_line(const Run& run, const Style& style) {
  Line line(style.width, style.color);
  const MergedPoint* now = current_point(run);
  if (now == nullptr) return line;
  line.add("loss ").add(now->ranks == 0 ? "nan" : loss_text(now->median), Paint::strong);
  if (now->ranks > 1) {
    line.add(" (min " + loss_text(now->min) + ", max " + loss_text(now->max) + ", " +
             counted(now->ranks, "rank") + ")");
  }
  if (const MergedPoint* best = best_point(run)) {
    line.add("  best " + loss_text(best->median) + ", epoch " + std::to_string(best->epoch) + " step " +
                 std::to_string(best->step),
             Paint::dim);
  }
  return line;
}

std::vector<Line> trouble(const Run& run, const Style& style) {
  std::vector<Line> lines;
  if (const auto gradient = bad_gradient(run))
    lines.emplace_back(style.width, style.color)
        .add("gradient is " + bad_gradient_text(*gradient), Paint::bad);
  const auto first = first_not_finite(run);
  if (!first) return lines;
  lines.emplace_back(style.width, style.color)
      .add("loss is nan or inf on " + counted(first->ranks, "rank") + ", first on rank " +
               std::to_string(first->rank) + " at epoch " + std::to_string(first->sample.epoch) + " step " +
               std::to_string(first->sample.step),
           Paint::bad);
  return lines;
}

void append(std::vector<Line>& lines, std::vector<Line> more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Line> draw_run(const Run& run, const Pace& pace, const Style& style) {
  constexpr int least_curve = 3;
  constexpr int most_curve = 24;
  constexpr int least_width = 30;
  const std::vector<Line> alarms = trouble(run, style);
  const int room = style.height - 1 - 2 - static_cast<int>(alarms.size());  // beside headline and loss line
  const bool wide = style.width >= least_width;
  int rank_lines = wide && room >= least_curve + 1 + 2 ? rank_rows(run, std::max(room / 2, 2), style) : 0;
  if (rank_lines < 2) rank_lines = 0;
  const int curve_rows = std::min(room - rank_lines - 1, most_curve);

  std::vector<Line> lines{headline(run, pace, style)};
  if (wide && curve_rows >= least_curve) append(lines, draw_curve(run.merged(), curve_rows, style));
  if (room >= 0) lines.push_back(loss_line(run, style));
  if (room >= 0) append(lines, alarms);
  if (rank_lines > 0) append(lines, draw_ranks(run, rank_lines, style));
  return lines;
}

}  // namespace adarun::monitor
