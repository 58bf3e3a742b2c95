// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/run_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/describe.h"
#include "monitor/base/text.h"
#include "monitor/series/facts.h"

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

// The time until the last step of the last epoch, if the number of steps is known.
std::optional<std::chrono::seconds> time_left(const Run& run, const ViewContext& context) {
  const auto steps = run.length();
  if (context.over || !steps || !context.steps_per_s || *context.steps_per_s <= 0) return std::nullopt;
  const double left = *steps > run.position() ? static_cast<double>(*steps - run.position()) : 0;
  return std::chrono::seconds(std::llround(std::min(left / *context.steps_per_s, 1e9)));
}

// As much as fits, the most important first.
StyledLine headline(const Run& run, const ViewContext& context, const Style& style) {
  StyledLine line(style.width, style.color);
  const auto add = [&line](const std::string& text, Paint paint = Paint::normal) {
    if (line.left() >= columns_of(text) + 3) line.add("   ").add(text, paint);
  };
  if (const MergedPoint* now = current_point(run)) {
    line.add("epoch " + of_total(now->epoch, run.epochs()), Paint::strong);
    const bool counts_on = run.steps_per_epoch() && now->step > *run.steps_per_epoch();
    line.add("  step " + of_total(now->step, counts_on ? std::nullopt : run.steps_per_epoch()),
             Paint::strong);
  } else {
    line.add("waiting for the first loss line", Paint::strong);
  }
  if (!run.ranks().empty()) add(base::counted(run.ranks().size(), "rank"));
  if (const auto number = run.attempts().back().number; number > 1)
    add("attempt " + std::to_string(number), Paint::dim);
  if (context.elapsed) add(duration_text(*context.elapsed), Paint::dim);
  if (const auto left = time_left(run, context)) add(duration_text(*left) + " left", Paint::good);
  if (const auto images = images_per_s(run)) add(throughput_text(*images));
  if (context.steps_per_s) add(rate_text(*context.steps_per_s));
  if (context.steps_per_s) add(loss_text(1000 / *context.steps_per_s) + " ms/step");
  if (const auto share = accuracy(run)) add("accuracy " + loss_text(*share), Paint::good);
  constexpr std::string_view hint = "? help";
  if (context.has_keys && line.left() > static_cast<int>(hint.size()) + 2)
    line.add_right(hint, line.left(), Paint::dim);
  return line;
}

// The loss of the chosen rank, else of all.
StyledLine loss_line(const Run& run, const ViewState& state, const Style& style) {
  StyledLine line(style.width, style.color);
  const MergedPoint* now = current_point(run);
  if (now == nullptr) return line;
  const auto chosen = state.rank ? run.ranks().find(*state.rank) : run.ranks().end();
  if (chosen != run.ranks().end()) {
    const auto& last = chosen->second.last;
    line.add("rank " + std::to_string(chosen->first) + " ")
        .add(last ? loss_text(last->loss) : "-", Paint::strong);
    line.add("  ");
  }
  line.add("loss ").add(median_text(*now), Paint::strong);
  const std::string choices = state.describe();
  const std::string extent = "min " + loss_text(now->min) + ", max " + loss_text(now->max) + ", ";
  const std::string range = " (" + (now->ranks > 1 ? extent : "") + base::counted(now->ranks, "rank") + ")";
  const int beside = choices.empty() ? 0 : columns_of(choices) + 1;
  if (run.ranks().size() > 1 && now->ranks > 0 && (beside == 0 || line.left() >= columns_of(range) + beside))
    line.add(range);
  const std::vector<MergedPoint>& validation = run.merged_validation();
  if (!validation.empty() && beside == 0)
    line.add("  ").add("validation " + median_text(validation.back()), Paint::warning);
  if (beside > 0) {
    line.add_right(choices, std::max(line.left(), beside), Paint::warning);
  } else if (const MergedPoint* best = best_point(run)) {
    line.add("  best " + loss_text(best->median) + ", " + place_text(best->epoch, best->step), Paint::dim);
  }
  return line;
}

void append(std::vector<StyledLine>& lines, std::vector<StyledLine> more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

// A finding on as many lines as it needs, broken between words.
std::vector<StyledLine> finding_lines(const RunFinding& finding, const ViewContext& context,
                                      const Style& style) {
  std::vector<StyledLine> lines;
  lines.emplace_back(style.width, style.color).add(std::string(name_of(finding.fault)) + ":", Paint::bad);
  const std::string text = finding_text(finding, context.node_of);
  for (std::string_view left = text; !left.empty();) {
    const std::string_view word = left.substr(0, left.find(' '));
    left.remove_prefix(std::min(left.size(), word.size() + 1));
    if (lines.back().left() <= columns_of(word)) lines.emplace_back(style.width, style.color).add(" ");
    lines.back().add(" ").add(word);
  }
  return lines;
}

// The first findings, and how many more there are.
std::vector<StyledLine> finding_rows(const ViewContext& context, const Style& style) {
  const auto most = static_cast<std::size_t>(std::clamp(style.height / 8, 1, 6));
  std::vector<StyledLine> lines;
  std::size_t shown = 0;
  for (; shown < context.findings.size(); ++shown) {
    std::vector<StyledLine> more = finding_lines(context.findings[shown], context, style);
    const std::size_t space = most - lines.size() - (shown + 1 == context.findings.size() ? 0 : 1);
    if (more.size() > space && (shown > 0 || space == 0)) break;
    if (more.size() > space) more.erase(more.begin() + static_cast<std::ptrdiff_t>(space), more.end());
    append(lines, std::move(more));
  }
  if (shown < context.findings.size())
    lines.emplace_back(style.width, style.color)
        .add(base::counted(context.findings.size() - shown, shown == 0 ? "finding" : "more finding"),
             Paint::bad);
  return lines;
}

std::vector<StyledLine> help(int rows, const Style& style) {
  std::vector<StyledLine> lines;
  for (const std::string& text : help_lines())
    if (static_cast<int>(lines.size()) < rows) lines.emplace_back(style.width, style.color).add(text);
  return lines;
}

}  // namespace

std::vector<StyledLine> draw_run(const Run& run, const ViewContext& context, const Style& style) {
  constexpr int least_curve = 3;
  constexpr int most_curve = 24;
  constexpr int least_width = 30;
  const ViewState& state = context.state;
  const std::vector<StyledLine> alarms = finding_rows(context, style);
  const int room = style.height - 1 - 2 - static_cast<int>(alarms.size());  // without headline and loss line
  const bool wide = style.width >= least_width;
  int below = 0;
  if (wide && room >= least_curve + 1 + 2) {
    const int most = std::max(room / 2, 2);
    below = state.help ? std::min<int>(most, static_cast<int>(help_lines().size()))
                       : rank_rows(run, context, most, style);
  }
  if (below < 2) below = 0;
  const int curve_rows = std::min(room - below - 1, most_curve);

  std::vector<StyledLine> lines{headline(run, context, style)};
  if (wide && curve_rows >= least_curve) append(lines, draw_curve(run, state, curve_rows, style));
  if (room >= 0) lines.push_back(loss_line(run, state, style));
  if (room >= 0) append(lines, alarms);
  if (below > 0) append(lines, state.help ? help(below, style) : draw_ranks(run, context, below, style));
  return lines;
}

}  // namespace adarun::monitor
