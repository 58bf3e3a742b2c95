// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/rank_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "monitor/view/facts.h"

namespace adarun::monitor {
namespace {

constexpr int loss_columns = 7;
constexpr int state_columns = 4;
constexpr int least_trend = 4;
constexpr int most_trend = 24;
constexpr int gap = 2;

struct State {
  std::string_view text;
  Paint paint = Paint::normal;
  int urgency = 0;
};

struct Row {
  std::uint32_t number = 0;
  const Rank* rank = nullptr;
  State state;
};

// Columns of the table and of each of its fields.
struct Layout {
  int number = 0;
  int step = 0;
  int trend = 0;
  int across = 1;
  int rows = 0;  ///< Without the heading.

  int cell() const { return number + 1 + step + 1 + loss_columns + 1 + trend + 1 + state_columns; }
};

State state_of(const Rank& rank, bool behind) {
  if (rank.state == RankState::failed) return {"FAIL", Paint::bad, 4};
  if (rank.last && !std::isfinite(rank.last->loss)) return {"NaN", Paint::bad, 3};
  switch (rank.state) {
    case RankState::stopped:
      return {"stop", Paint::warning, 1};
    case RankState::done:
      return {"done", Paint::dim, 0};
    case RankState::waiting:
      return {"wait", Paint::dim, 0};
    default:
      break;
  }
  if (behind) return {"slow", Paint::warning, 2};
  return rank.state == RankState::running ? State{"run", Paint::good, 0} : State{};
}

std::vector<Row> rows_of(const Run& run) {
  const std::vector<std::uint32_t> behind = ranks_behind(run, 2);
  std::vector<Row> rows;
  for (const auto& [number, rank] : run.ranks()) {
    rows.push_back({number, &rank, state_of(rank, std::binary_search(behind.begin(), behind.end(), number))});
  }
  return rows;
}

Layout layout_of(const Run& run, int rows, const Style& style) {
  Layout layout;
  const auto ranks = static_cast<int>(run.ranks().size());
  layout.number = std::max(4, columns_of(std::to_string(ranks == 0 ? 0 : run.ranks().rbegin()->first)));
  layout.step = std::max(4, columns_of(std::to_string(run.position())));
  for (layout.across = 1;; ++layout.across) {
    layout.rows = (ranks + layout.across - 1) / layout.across;
    layout.trend = 0;
    layout.trend =
        std::min(most_trend, (style.width - gap * (layout.across - 1)) / layout.across - layout.cell());
    if (layout.rows <= rows - 1 && layout.trend >= least_trend) return layout;
    if (layout.trend < least_trend) break;
  }
  layout.across = std::max(1, layout.across - 1);
  layout.trend = 0;
  layout.trend =
      std::min(most_trend, (style.width - gap * (layout.across - 1)) / layout.across - layout.cell());
  layout.rows = std::min((ranks + layout.across - 1) / layout.across, std::max(rows - 1, 0));
  return layout;
}

void add_heading(Line& line, const Layout& layout) {
  line.add_right("rank", layout.number, Paint::dim).add(" ").add_right("step", layout.step, Paint::dim);
  line.add(" ").add_right("loss", loss_columns, Paint::dim).add(" ");
  const int trend_end = line.columns() + layout.trend;
  line.add(std::string_view("trend").substr(0, static_cast<std::size_t>(std::max(layout.trend, 0))),
           Paint::dim);
  line.pad_to(trend_end).add("     ");
}

void add_cell(Line& line, const Row& row, const Layout& layout, const Style& style) {
  const Rank& rank = *row.rank;
  line.add_right(std::to_string(row.number), layout.number).add(" ");
  line.add_right(rank.last ? std::to_string(rank.last->position) : "-", layout.step).add(" ");
  line.add_right(rank.last ? loss_text(rank.last->loss) : "-", loss_columns).add(" ");
  const int trend_end = line.columns() + layout.trend;
  line.add(trend(rank.series.points(), layout.trend, style.unicode), Paint::curve);
  line.pad_to(trend_end).add(" ").add(row.state.text, row.state.paint);
  line.pad_to(trend_end + 1 + state_columns);
}

// The points in at most `columns` chunks, in order: the mean of each, nothing where no value is finite.
std::vector<std::optional<double>> chunk_means(const std::vector<Point>& points, int columns) {
  const std::size_t chunks = std::min(points.size(), static_cast<std::size_t>(std::max(columns, 0)));
  std::vector<std::optional<double>> means;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    double sum = 0;
    double values = 0;
    for (std::size_t i = chunk * points.size() / chunks; i < (chunk + 1) * points.size() / chunks; ++i) {
      sum += points[i].mean * points[i].finite;
      values += points[i].finite;
    }
    means.push_back(values > 0 ? std::optional(sum / values) : std::nullopt);
  }
  return means;
}

}  // namespace

int rank_rows(const Run& run, int rows, const Style& style) {
  return run.ranks().empty() ? 0 : layout_of(run, rows, style).rows + 1;
}

std::vector<Line> draw_ranks(const Run& run, int rows, const Style& style) {
  std::vector<Line> lines;
  if (run.ranks().empty() || rows < 2) return lines;
  const Layout layout = layout_of(run, rows, style);
  std::vector<Row> ranks = rows_of(run);
  const auto places = static_cast<std::size_t>(layout.rows) * static_cast<std::size_t>(layout.across);
  const std::size_t shown = ranks.size() <= places ? ranks.size() : places - 1;
  if (shown < ranks.size()) {
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const Row& a, const Row& b) { return a.state.urgency > b.state.urgency; });
  }
  for (int row = -1; row < layout.rows; ++row) {
    Line& line = lines.emplace_back(style.width, style.color);
    for (int column = 0; column < layout.across; ++column) {
      const int place_in_table = column * layout.rows + std::max(row, 0);
      const auto place = static_cast<std::size_t>(place_in_table);
      if (place >= ranks.size()) break;
      line.pad_to(column * (layout.cell() + gap));
      if (row < 0) {
        add_heading(line, layout);
      } else if (place < shown) {
        add_cell(line, ranks[place], layout, style);
      } else {
        line.add_right("and " + count_text(ranks.size() - shown) + " more", layout.cell(), Paint::dim);
        break;
      }
    }
  }
  return lines;
}

std::string trend(const std::vector<Point>& points, int columns, bool unicode) {
  static constexpr std::array<std::string_view, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 8> ascii{"_", "_", ".", ".", "-", "-", "=", "="};
  const std::vector<std::optional<double>> means = chunk_means(points, columns);
  std::optional<double> low;
  std::optional<double> high;
  for (const auto& mean : means) {
    if (!mean) continue;
    low = std::min(low.value_or(*mean), *mean);
    high = std::max(high.value_or(*mean), *mean);
  }
  std::string text;
  for (const auto& mean : means) {
    const double share = mean && *high > *low ? (*mean - *low) / (*high - *low) : 0;
    const auto level = static_cast<std::size_t>(std::lround(share * 7));
    text += !mean ? "x" : unicode ? bars[level] : ascii[level];
  }
  return text;
}

}  // namespace adarun::monitor
