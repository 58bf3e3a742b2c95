// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/search/elimination.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

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
};

/// Takes nodes out of a choice, one by one.
class Elimination {
 public:
  Elimination(const Choice& choice, const Pruning& pruning)
      : choice_(choice),
        pruning_(pruning),
        tables_of_(choice.nodes.size()),
        neighbours_(choice.nodes.size()) {
    for (std::size_t n = 0; n < choice.nodes.size(); ++n) {
      SumTable table{{n}, {}};
      for (const StrategyCost& of : choice.nodes[n]) table.cells.push_back({{of.seconds, of.bytes}});
      add(std::move(table));
    }
    for (const Choice::Edge& edge : choice.edges) add(table_of(edge));
    for (std::size_t n = 0; n < choice.nodes.size(); ++n) left_.emplace(combinations_beside(n), n);
  }

  std::optional<std::vector<std::size_t>> run() {
    while (!left_.empty()) take_out(left_.begin()->second);
    if (whole_.cells.front().empty()) return std::nullopt;
    std::vector<std::size_t> options(choice_.nodes.size());
    trace(whole_.cells.front().front().step, options);
    return options;
  }

 private:
  /// What a product leaves as it is.
  static SumTable unit() { return {{}, {{CostSum{}}}}; }

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

  /// Joins its nodes.
  void add(SumTable table) {
    if (table.nodes.empty()) {
      whole_ = product(whole_, table);
      return;
    }
    for (const std::size_t node : table.nodes) {
      tables_of_[node].push_back(tables_.size());
      neighbours_[node].insert(table.nodes.begin(), table.nodes.end());
      neighbours_[node].erase(node);
    }
    tables_.push_back(std::move(table));
  }

  double combinations_beside(std::size_t node) const {
    double combinations = 1;
    for (const std::size_t neighbour : neighbours_[node])
      combinations *= static_cast<double>(options(neighbour));
    return combinations;
  }

  void take_out(std::size_t node) {
    const std::set<std::size_t> beside = neighbours_[node];
    left_.erase({combinations_beside(node), node});
    for (const std::size_t neighbour : beside) left_.erase({combinations_beside(neighbour), neighbour});
    SumTable with_node = unit();
    for (const std::size_t index : tables_of_[node]) {
      with_node = product(with_node, tables_[index]);
      for (const std::size_t other : tables_[index].nodes) {
        if (other != node) std::erase(tables_of_[other], index);
      }
      tables_[index] = {};
    }
    for (const std::size_t neighbour : beside) neighbours_[neighbour].erase(node);
    add(best_of(node, with_node));
    for (const std::size_t neighbour : beside) left_.emplace(combinations_beside(neighbour), neighbour);
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
      const Sums& lefts = a.cells[cell(a, both.nodes, at)];
      const Sums& rights = b.cells[cell(b, both.nodes, at)];
      look_at(lefts.size() * rights.size());
      Sums sums;
      for (const CostSum& left : lefts) {
        for (const CostSum& right : rights)
          sums.push_back({left.seconds + right.seconds, left.bytes + right.bytes, left.step, right.step});
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

  void look_at(std::size_t sums) {
    if (sums > pruning_.most_kept) throw SearchLimitExceeded();
    if (pruning_.looks_left == nullptr) return;
    const bool are_too_many = sums > *pruning_.looks_left;
    *pruning_.looks_left -= std::min(sums, *pruning_.looks_left);
    if (are_too_many) throw SearchLimitExceeded();
  }

  std::int32_t joined(std::int32_t a, std::int32_t b) {
    if (a == nothing || b == nothing) return std::max(a, b);
    return add({nothing, nothing, a, b});
  }

  std::int32_t add(const Step& step) {
    if (steps_.size() == pruning_.most_kept) throw SearchLimitExceeded();
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
  std::vector<SumTable> tables_;                     // empty once a node of theirs is taken out
  std::vector<std::vector<std::size_t>> tables_of_;  // of each node, ascending
  std::vector<std::set<std::size_t>> neighbours_;    // of each node, those that are left
  std::set<std::pair<double, std::size_t>> left_;    // with the combinations of their neighbours
  SumTable whole_ = unit();
  std::vector<Step> steps_;
};

}  // namespace

std::optional<std::vector<std::size_t>> fastest_options(const Choice& choice, const Pruning& pruning) {
  return Elimination(choice, pruning).run();
}

}  // namespace adarun::planner
