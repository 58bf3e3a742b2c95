// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace adarun::monitor::web {

/// A number of a run at a position, such as the learning rate; or the lowest, the median and the highest of
/// several, such as the layers of a model.
struct QuantityPoint {
  std::uint64_t position = 0;
  double low = 0;
  double middle = 0;
  double high = 0;

  bool operator==(const QuantityPoint&) const = default;
};

/// Numbers of a run over its steps, by name. Memory is bounded: if a name has too many points, every second
/// one is dropped; names beyond `most_names` are ignored.
class Quantities {
 public:
  static constexpr std::size_t most_points = 1U << 16U;
  static constexpr std::size_t most_names = 64;

  /// A point at or before the last one of its name means that the run went back: the points from there on are
  /// replaced.
  void add(const std::string& name, const QuantityPoint& point);

  bool empty() const { return curves_.empty(); }
  std::vector<std::string> names() const;

  /// The points in the order of positions; null for an unknown name.
  const std::vector<QuantityPoint>* find(const std::string& name) const;

 private:
  struct QuantityCurve {
    std::vector<QuantityPoint> points;
    std::uint64_t apart = 1;  ///< Minimum distance of points, in positions.
  };

  std::map<std::string, QuantityCurve> curves_;
};

}  // namespace adarun::monitor::web
