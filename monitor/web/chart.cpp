// SPDX-License-Identifier: Apache-2.0
// Curves of a run as JSON.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "monitor/series/series.h"
#include "monitor/web/run_report.h"

namespace adarun::monitor::web {
namespace {

constexpr const char* validation_name = "validation.loss";
constexpr std::size_t most_slices = 4096;

// Appends a JSON number of at most `digits` digits: null for nan and infinities.
void add_number(std::string& json, double value, int digits) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  json.append(text.data(), end.ptr);
}

// An array of `number_of(item)` for each item, written by `add_number`.
template <typename Items, typename NumberOf>
std::string number_array(const Items& items, NumberOf&& number_of, int digits = 6) {
  std::string json = "[";
  for (const auto& item : items) {
    if (json.size() > 1) json += ',';
    add_number(json, number_of(item), digits);
  }
  return json + "]";
}

Slice slice_of(bool finite, double low, double middle, double high, std::uint32_t not_finite) {
  if (!finite) return {.not_finite = not_finite};
  return {0, low, high, middle, middle, middle, true, not_finite};
}

Slice slice_of(const MergedPoint& point) {
  return slice_of(point.ranks > 0, point.min, point.median, point.max, point.not_finite);
}

Slice slice_of(const Point& point) {
  return slice_of(point.finite > 0, point.min, point.mean, point.max, point.not_finite);
}

Slice slice_of(const QuantityPoint& point) {
  const bool finite = std::isfinite(point.low) && std::isfinite(point.high);
  return slice_of(finite, point.low, point.middle, point.high, finite ? 0 : 1);
}

// The points in [from, to] and one more on either side, so that curves continue to the edges of the picture.
template <typename Point, typename X>
std::vector<Slice> slices_of(const std::vector<Point>& points, const ChartQuery& query, X&& x_of) {
  const auto before = [&](double x) {
    return [&x_of, x](const Point& point) { return x_of(point.position) < x; };
  };
  auto first = std::partition_point(points.begin(), points.end(), before(query.from));
  auto last = std::partition_point(first, points.end(), before(std::nextafter(query.to, INFINITY)));
  if (first != points.begin()) --first;
  if (last != points.end()) ++last;
  return decimated(static_cast<std::size_t>(last - first), query.slices, [&](std::size_t i) {
    const Point& point = *(first + static_cast<std::ptrdiff_t>(i));
    Slice slice = slice_of(point);
    slice.x = x_of(point.position);
    return slice;
  });
}

template <typename Take>
std::vector<Slice> curve_of(const WatchedRun& run, const ChartQuery& query, Take&& take) {
  if (query.quantity == validation_name) return take(run.run().merged_validation());
  if (!query.quantity.empty()) {
    const std::vector<QuantityPoint>* points = run.quantities().find(query.quantity);
    return points == nullptr ? std::vector<Slice>() : take(*points);
  }
  return query.rank ? take(run.run().losses_of(*query.rank)) : take(run.run().merged());
}

double x_at(const WatchedRun& run, ChartAxis axis, std::uint64_t position) {
  return axis == ChartAxis::time ? run.times().seconds_at(position) : static_cast<double>(position);
}

// Nothing where times are asked for and not known.
std::vector<Slice> slices_of(const WatchedRun& run, const ChartQuery& query) {
  ChartQuery bounded = query;
  bounded.slices = std::clamp<std::size_t>(query.slices, 1, most_slices);
  if (query.axis == ChartAxis::time && run.times().empty()) return {};
  const auto x_of = [&](std::uint64_t position) { return x_at(run, query.axis, position); };
  return curve_of(run, bounded, [&](const auto& points) { return slices_of(points, bounded, x_of); });
}

// The last loss in [first, last]; nothing if there is none.
std::optional<double> loss_at(const Series& losses, std::uint64_t first, std::uint64_t last) {
  const std::vector<Point>& points = losses.points();
  const auto above = std::partition_point(points.begin(), points.end(),
                                          [&](const Point& point) { return point.position <= last; });
  if (above == points.begin() || (above - 1)->position < first) return std::nullopt;
  const Point& point = *(above - 1);
  return point.finite > 0 ? point.mean : std::nan("");
}

}  // namespace

std::vector<std::string> quantity_names(const WatchedRun& run) {
  std::vector<std::string> names = run.quantities().names();
  if (!run.run().merged_validation().empty()) names.insert(names.begin(), validation_name);
  return names;
}

std::string chart_json(const WatchedRun& run, const ChartQuery& query) {
  const std::vector<Slice> slices = slices_of(run, query);
  constexpr int position_digits = 12;
  const auto array = [&](double Slice::*member) {
    return number_array(slices, [member](const Slice& slice) { return slice.finite ? slice.*member : NAN; });
  };
  return "{\"x\":" +
         number_array(
             slices, [](const Slice& slice) { return slice.x; }, position_digits) +
         ",\"low\":" + array(&Slice::low) + ",\"high\":" + array(&Slice::high) +
         ",\"middle_low\":" + array(&Slice::middle_low) + ",\"middle_high\":" + array(&Slice::middle_high) +
         ",\"middle\":" + array(&Slice::middle) +
         ",\"bad\":" + number_array(slices, [](const Slice& slice) { return slice.not_finite; }) + "}";
}

std::string ranks_at_json(const WatchedRun& run, ChartAxis axis, double x) {
  const std::vector<MergedPoint>& merged = run.run().merged();
  const auto at = std::partition_point(merged.begin(), merged.end(), [&](const MergedPoint& point) {
    return x_at(run, axis, point.position) < x;
  });
  if (at == merged.end()) return "{}";
  const std::uint64_t first = at == merged.begin() ? 0 : (at - 1)->position + 1;
  std::map<std::uint32_t, double> found;
  const auto look = [&](std::uint32_t rank, const Series& series) {
    if (const auto loss = loss_at(series, first, at->position)) found[rank] = *loss;
  };
  for (const PastRank& past : run.run().past_ranks()) look(past.rank, past.losses);
  for (const auto& [number, rank] : run.run().ranks()) look(number, rank.series);
  std::vector<double> ranks;
  std::vector<double> losses;
  for (const auto& [rank, loss] : found) {
    ranks.push_back(rank);
    losses.push_back(loss);
  }
  const auto itself = [](double value) { return value; };
  const nlohmann::ordered_json place{{"position", at->position}, {"epoch", at->epoch}, {"step", at->step}};
  std::string json = place.dump();
  json.back() = ',';
  return json + "\"ranks\":" + number_array(ranks, itself, 10) +
         ",\"losses\":" + number_array(losses, itself) + "}";
}

}  // namespace adarun::monitor::web
