// SPDX-License-Identifier: Apache-2.0
#include "planner/search/elimination.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "planner/base/error.h"

namespace adarun::planner {
namespace {

constexpr std::int32_t nothing = -1;
constexpr double most_cells = 1e7;  // of a table: some hundred megabytes

/// How a sum came about: an option of a node and two earlier steps, each of which may be missing.
struct Step {
  std::int32_t node = nothing;
  std::int32_t option = nothing;
  std::int32_t before = nothing;
  std::int32_t beside = nothing;
};

/// A sum of costs, and the last of its steps. Only for sums that are kept a step is made of `added`: the
/// option of the node that is taken out, or the step of a second sum.
struct CostSum {
  double seconds = 0;
  double bytes = 0;
  std::int32_t step = nothing;
  std::int32_t added = nothing;
};

/// Sums of which none is better than another in both; by ascending time.
using Sums = std::vector<CostSum>;

/// The sums for each combination of options of some nodes: a table with a dimension for each, of which the
/// last changes fastest.
struct SumTable {
  std::vector<std::size_t> nodes;  // ascending
  std::vector<Sums> cells;

  bool has(std::size_t node) const { return std::ranges::binary_search(nodes, node); }
};

/// Takes nodes out of a choice, one by one.
class Elimination {
 public:
  Elimination(const Choice& choice, const Pruning& pruning) : choice_(choice), pruning_(pruning) {
    for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
      SumTable table{{n}, {}};
      for (const auto& [seconds, bytes] : choice.nodes[n]) table.cells.push_back({{seconds, bytes}});
      tables_.push_back(std::move(table));
      left_.push_back(n);
    }
    for (const Choice::Edge& edge : choice.edges) tables_.push_back(table_of(edge));
  }

  std::optional<std::vector<std::size_t>> run() {
    while (!left_.empty()) take_out(cheapest());
    SumTable whole;
    whole.cells.push_back({CostSum{}});
    for (const SumTable& table : tables_) whole = product(whole, table);
    if (whole.cells.front().empty()) return std::nullopt;
    std::vector<std::size_t> options(choice_.nodes.size());
    trace(whole.cells.front().front().step, options);
    return options;
  }

 private:
  std::size_t options(std::size_t node) const { return choice_.nodes[node].size(); }
  bool bounded() const { return std::isfinite(choice_.most_bytes); }

  SumTable table_of(const Choice::Edge& edge) const {
    const bool in_order = edge.from < edge.to;
    SumTable table{{std::min(edge.from, edge.to), std::max(edge.from, edge.to)}, {}};
    for (std::size_t a = 0; a < options(table.nodes[0]); ++a) {
      for (std::size_t b = 0; b < options(table.nodes[1]); ++b)
        table.cells.push_back({{in_order ? edge.seconds[a][b] : edge.seconds[b][a], 0}});
    }
    return table;
  }

  /// The node whose neighbours have the fewest combinations.
  std::size_t cheapest() const {
    std::size_t best = left_.front();
    double fewest = INFINITY;
    for (const std::size_t node : left_) {
      double cells = 1;
      for (const std::size_t neighbour : neighbours(node)) cells *= static_cast<double>(options(neighbour));
      if (cells < fewest) {
        fewest = cells;
        best = node;
      }
    }
    return best;
  }

  std::vector<std::size_t> neighbours(std::size_t node) const {
    std::vector<std::size_t> all;
    for (const SumTable& table : tables_) {
      if (!table.has(node)) continue;
      std::vector<std::size_t> merged;
      std::ranges::set_union(all, table.nodes, std::back_inserter(merged));
      all = std::move(merged);
    }
    std::erase(all, node);
    return all;
  }

  void take_out(std::size_t node) {
    SumTable with_node;
    with_node.cells.push_back({CostSum{}});
    std::vector<SumTable> others;
    for (SumTable& table : tables_) {
      if (table.has(node)) {
        with_node = product(with_node, table);
      } else {
        others.push_back(std::move(table));
      }
    }
    others.push_back(best_of(node, with_node));
    tables_ = std::move(others);
    std::erase(left_, node);
  }

  /// Calls visit(options of `nodes`) for all combinations, the last one fastest.
  template <typename Visit>
  void for_each_combination(const std::vector<std::size_t>& nodes, const Visit& visit) const {
    std::vector<std::size_t> at(nodes.size(), 0);
    while (true) {
      visit(at);
      std::size_t n = nodes.size();
      while (n > 0 && ++at[n - 1] == options(nodes[n - 1])) at[--n] = 0;
      if (n == 0) return;
    }
  }

  /// The cell of `table` for the options `at` of `nodes`, which include the table's.
  std::size_t cell(const SumTable& table, const std::vector<std::size_t>& nodes,
                   const std::vector<std::size_t>& at) const {
    std::size_t index = 0;
    std::size_t n = 0;
    for (const std::size_t node : table.nodes) {
      while (nodes[n] != node) ++n;
      index = index * options(node) + at[n];
    }
    return index;
  }

  SumTable product(const SumTable& a, const SumTable& b) {
    SumTable both;
    std::ranges::set_union(a.nodes, b.nodes, std::back_inserter(both.nodes));
    double cells = 1;
    for (const std::size_t node : both.nodes) cells *= static_cast<double>(options(node));
    if (cells > most_cells) {
      throw Error("the layers are connected in too many ways for an exact search: " +
                  std::to_string(both.nodes.size()) + " of them would have to be chosen together");
    }
    for_each_combination(both.nodes, [&](const std::vector<std::size_t>& at) {
      Sums sums;
      for (const CostSum& left : a.cells[cell(a, both.nodes, at)]) {
        for (const CostSum& right : b.cells[cell(b, both.nodes, at)]) {
          sums.push_back({left.seconds + right.seconds, left.bytes + right.bytes, left.step, right.step});
        }
      }
      sums = best(std::move(sums));
      for (CostSum& sum : sums) sum.step = joined(sum.step, sum.added);
      both.cells.push_back(std::move(sums));
    });
    return both;
  }

  /// `with` without `node`: of its options those that may be best.
  SumTable best_of(std::size_t node, const SumTable& with) {
    SumTable without{with.nodes, {}};
    std::erase(without.nodes, node);
    for_each_combination(without.nodes, [&](const std::vector<std::size_t>& at) {
      std::vector<std::size_t> whole = at;
      const auto place = std::ranges::lower_bound(with.nodes, node) - with.nodes.begin();
      whole.insert(whole.begin() + place, 0);
      Sums sums;
      for (std::size_t option = 0; option < options(node); ++option) {
        whole[static_cast<std::size_t>(place)] = option;
        for (const CostSum& sum : with.cells[cell(with, with.nodes, whole)])
          sums.push_back({sum.seconds, sum.bytes, sum.step, static_cast<std::int32_t>(option)});
      }
      sums = best(std::move(sums));
      for (CostSum& sum : sums)
        sum.step = add({static_cast<std::int32_t>(node), sum.added, sum.step, nothing});
      without.cells.push_back(std::move(sums));
    });
    return without;
  }

  Sums best(Sums sums) const {
    double least = INFINITY;
    for (const CostSum& sum : sums) least = std::min(least, pruning_.priced(sum.seconds, sum.bytes));
    std::erase_if(sums, [&](const CostSum& sum) {
      return sum.bytes > choice_.most_bytes ||
             pruning_.priced(sum.seconds, sum.bytes) > least + pruning_.most_excess;
    });
    std::ranges::sort(sums, [](const CostSum& a, const CostSum& b) {
      return std::pair(a.seconds, a.bytes) < std::pair(b.seconds, b.bytes);
    });
    Sums kept;
    for (const CostSum& sum : sums) {
      if (kept.empty() || (bounded() && sum.bytes < kept.back().bytes)) kept.push_back(sum);
    }
    return kept;
  }

  std::int32_t joined(std::int32_t a, std::int32_t b) {
    if (a == nothing || b == nothing) return std::max(a, b);
    return add({nothing, nothing, a, b});
  }

  std::int32_t add(const Step& step) {
    if (steps_.size() == pruning_.most_steps) throw TooManySums();
    steps_.push_back(step);
    return static_cast<std::int32_t>(steps_.size()) - 1;
  }

  void trace(std::int32_t from, std::vector<std::size_t>& options) const {
    std::vector<std::int32_t> open{from};
    while (!open.empty()) {
      const std::int32_t at = open.back();
      open.pop_back();
      if (at == nothing) continue;
      const Step& step = steps_[static_cast<std::size_t>(at)];
      if (step.node != nothing)
        options[static_cast<std::size_t>(step.node)] = static_cast<std::size_t>(step.option);
      open.push_back(step.before);
      open.push_back(step.beside);
    }
  }

  const Choice& choice_;
  Pruning pruning_;
  std::vector<SumTable> tables_;
  std::vector<std::size_t> left_;
  std::vector<Step> steps_;
};

}  // namespace

std::optional<std::vector<std::size_t>> fastest_options(const Choice& choice, const Pruning& pruning) {
  return Elimination(choice, pruning).run();
}

}  // namespace adarun::planner
