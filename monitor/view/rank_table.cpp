// SPDX-License-Identifier: Apache-2.0
// The table of ranks below the curve.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "monitor/base/text.h"
#include "monitor/series/facts.h"
#include "monitor/view/run_view.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {
namespace {

constexpr int loss_columns = 7;
constexpr int time_columns = 6;
constexpr int most_node = 16;
constexpr int state_columns = 4;
constexpr int least_trend = 4;
constexpr int fair_trend = 8;  // A node's name or a time is not shown if it leaves less.
constexpr int most_trend = 24;
constexpr int gap = 2;

struct RowState {
  std::string_view text;
  Paint paint = Paint::normal;
  int urgency = 0;
};

struct RankRow {
  std::uint32_t number = 0;
  const RunRank* rank = nullptr;
  RowState state;
};

// Columns of the table and of each field; 0 if a field is left out.
struct TableLayout {
  int number = 0;
  int node = 0;
  int step = 0;
  int time = 0;
  int trend = 0;
  int across = 1;
  int rows = 0;        ///< Not counting the heading.
  bool whole = false;  ///< All ranks fit.

  int cell() const {
    return number + 1 + (node > 0 ? node + 1 : 0) + step + 1 + loss_columns + 1 + (time > 0 ? time + 1 : 0) +
           trend + 1 + state_columns;
  }
};

// A time in at most 6 columns: 12.35, 1234.5, 98765.
std::string time_text(double ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), ms < 1000 ? "%.2f" : ms < 10'000 ? "%.1f" : "%.0f", ms);
  return text.data();
}

// The state of a rank according to the findings.
RowState state_in(std::span<const RunFinding> findings, std::uint32_t rank) {
  for (const RunFinding& finding : findings) {
    if (finding.rank != rank) continue;
    if (finding.fault == Fault::straggler) return {"slow", Paint::warning, 3};
    if (finding.fault == Fault::divergence) return {"off", Paint::warning, 2};
    if (finding.fault == Fault::same_data) return {"same", Paint::warning, 2};
  }
  return {};
}

RowState state_of(std::uint32_t number, const RunRank& rank, bool behind,
                  std::span<const RunFinding> findings) {
  if (rank.state == ProcessState::failed) return {"FAIL", Paint::bad, 5};
  if (rank.last && !std::isfinite(rank.last->loss)) return {"NaN", Paint::bad, 4};
  if (rank.state == ProcessState::lost) return {"lost", Paint::bad, 4};
  if (rank.state == ProcessState::stopped) return {"stop", Paint::warning, 1};
  if (const RowState found = state_in(findings, number); found.urgency > 0) return found;
  if (rank.state == ProcessState::done) return {"done", Paint::dim, 0};
  if (rank.state == ProcessState::waiting) return {"wait", Paint::dim, 0};
  if (behind) return {"slow", Paint::warning, 3};
  return rank.state == ProcessState::running ? RowState{"run", Paint::good, 0} : RowState{};
}

// The rows in display order: by urgency; slow ranks are sorted by time per step, slowest first.
std::vector<RankRow> rows_of(const Run& run, const std::vector<RunFinding>& findings) {
  const std::vector<std::uint32_t> behind = ranks_behind(run);
  std::vector<RankRow> rows;
  for (const auto& [number, rank] : run.ranks()) {
    const bool is_behind = std::binary_search(behind.begin(), behind.end(), number);
    rows.push_back({number, &rank, state_of(number, rank, is_behind, findings)});
  }
  const auto step_ms = [](const RankRow& row) {
    return row.state.urgency > 0 ? row.rank->metrics.step_ms.value_or(0) : 0;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const RankRow& a, const RankRow& b) {
    return std::pair(a.state.urgency, step_ms(a)) > std::pair(b.state.urgency, step_ms(b));
  });
  return rows;
}

// If the chosen rank is not among those shown, it replaces the last one.
void show_chosen(std::vector<RankRow>& ranks, std::optional<std::uint32_t> chosen, std::size_t shown) {
  const auto last = ranks.begin() + static_cast<std::ptrdiff_t>(shown);
  const auto its = std::find_if(last, ranks.end(), [&](const RankRow& row) { return row.number == chosen; });
  if (its != ranks.end()) std::iter_swap(its, last - 1);
}

// Uses as many columns as all ranks need, or as many as fit; `across` is 0 if there is no room.
TableLayout fitted(TableLayout layout, int ranks, int rows, const Style& style) {
  const auto trend_of = [&](int across) {
    layout.trend = 0;
    return std::min(most_trend, (style.width - gap * (across - 1)) / across - layout.cell());
  };
  int most = 0;
  while (most < ranks && trend_of(most + 1) >= least_trend) ++most;
  const int needed = rows > 1 ? (ranks + rows - 2) / (rows - 1) : ranks;
  layout.whole = needed <= most;
  layout.across = std::min(needed, most);
  layout.trend = trend_of(std::max(layout.across, 1));
  layout.rows = layout.across == 0 ? 0 : std::min((ranks + layout.across - 1) / layout.across, rows - 1);
  return layout;
}

// Shows nodes and times if all ranks fit with them; else only times; else neither. If not all ranks fit in
// any form, shows times if possible.
TableLayout layout_of(const Run& run, const NodeOf& node_of, int rows, const Style& style) {
  const auto& ranks = run.ranks();
  TableLayout bare;
  bare.number = std::max(4, 1 + columns_of(std::to_string(ranks.rbegin()->first)));
  bare.step = std::max(4, columns_of(std::to_string(run.position())));
  TableLayout timed = bare;
  TableLayout named = bare;
  for (const auto& [number, rank] : ranks) {
    if (rank.metrics.step_ms) timed.time = time_columns;
    if (node_of) named.node = std::max(named.node, std::min(columns_of(node_of(number)), most_node));
  }
  named.time = timed.time;
  const auto count = static_cast<int>(ranks.size());
  for (const TableLayout& each : {named, timed}) {
    const TableLayout layout = fitted(each, count, rows, style);
    if (layout.whole && layout.trend >= fair_trend) return layout;
  }
  if (const TableLayout layout = fitted(bare, count, rows, style); layout.whole) return layout;
  const TableLayout layout = fitted(timed, count, rows, style);
  return layout.across > 0 ? layout : fitted(bare, count, rows, style);
}

void add_heading(StyledLine& line, const TableLayout& layout) {
  line.add_right("rank", layout.number, Paint::dim).add(" ");
  if (layout.node > 0) {
    const int node_end = line.columns() + layout.node + 1;
    line.add("node", Paint::dim).pad_to(node_end);
  }
  line.add_right("step", layout.step, Paint::dim)
      .add(" ")
      .add_right("loss", loss_columns, Paint::dim)
      .add(" ");
  if (layout.time > 0) line.add_right("ms", layout.time, Paint::dim).add(" ");
  const int trend_end = line.columns() + layout.trend;
  line.add(std::string_view("trend").substr(0, static_cast<std::size_t>(std::max(layout.trend, 0))),
           Paint::dim);
  line.pad_to(trend_end).add("     ");
}

// Splits the points into at most `columns` chunks, in order; the mean of each, nothing if no value is finite.
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

// A series as at most `columns` bars; the lowest bar is the lowest value. A bar is the mean of the points it
// covers, or 'x' if none of them is finite.
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

void add_cell(StyledLine& line, const RankRow& row, const ViewContext& context, const TableLayout& layout,
              const Style& style) {
  const RunRank& rank = *row.rank;
  const bool chosen = context.state.rank == row.number;
  const int begin = line.columns();
  line.add_right((chosen ? ">" : "") + std::to_string(row.number), layout.number,
                 chosen ? Paint::strong : Paint::normal);
  line.add(" ");
  if (layout.node > 0) {
    const int node_end = line.columns() + layout.node + 1;
    line.add(first_columns(context.node_of(row.number), layout.node)).pad_to(node_end);
  }
  line.add_right(rank.last ? std::to_string(rank.last->position) : "-", layout.step).add(" ");
  line.add_right(rank.last ? loss_text(rank.last->loss) : "-", loss_columns).add(" ");
  if (layout.time > 0) {
    const auto& step_ms = rank.metrics.step_ms;
    line.add_right(step_ms ? time_text(*step_ms) : "-", layout.time,
                   row.state.urgency == 3 ? Paint::warning : Paint::normal)
        .add(" ");
  }
  const int trend_end = line.columns() + layout.trend;
  line.add(trend(rank.series.points(), layout.trend, style.unicode), Paint::curve);
  line.pad_to(trend_end).add(" ").add(row.state.text, row.state.paint);
  line.pad_to(begin + layout.cell());
}

}  // namespace

int rank_rows(const Run& run, const ViewContext& context, int rows, const Style& style) {
  return run.ranks().empty() ? 0 : layout_of(run, context.node_of, rows, style).rows + 1;
}

std::vector<StyledLine> draw_ranks(const Run& run, const ViewContext& context, int rows, const Style& style) {
  std::vector<StyledLine> lines;
  if (run.ranks().empty() || rows < 2) return lines;
  const TableLayout layout = layout_of(run, context.node_of, rows, style);
  std::vector<RankRow> ranks = rows_of(run, context.findings);
  const auto places = static_cast<std::size_t>(layout.rows) * static_cast<std::size_t>(layout.across);
  const std::size_t shown = ranks.size() <= places ? ranks.size() : places - 1;
  if (shown < ranks.size() && shown > 0) show_chosen(ranks, context.state.rank, shown);
  for (int row = -1; row < layout.rows; ++row) {
    StyledLine& line = lines.emplace_back(style.width, style.color);
    for (int column = 0; column < layout.across; ++column) {
      const int place_in_table = column * layout.rows + std::max(row, 0);
      const auto place = static_cast<std::size_t>(place_in_table);
      if (place >= ranks.size()) break;
      line.pad_to(column * (layout.cell() + gap));
      if (row < 0) {
        add_heading(line, layout);
      } else if (place < shown) {
        add_cell(line, ranks[place], context, layout, style);
      } else {
        line.add_right("and " + base::grouped(ranks.size() - shown) + " more", layout.cell(), Paint::dim);
        break;
      }
    }
  }
  return lines;
}

}  // namespace adarun::monitor
