// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/quantities.h"

namespace adarun::monitor::web {

void Quantities::add(const std::string& name, const QuantityPoint& point) {
  if (curves_.size() >= most_names && !curves_.contains(name)) return;
  QuantityCurve& curve = curves_[name];
  std::vector<QuantityPoint>& points = curve.points;
  while (!points.empty() && points.back().position >= point.position) points.pop_back();
  if (!points.empty() && point.position - points.back().position < curve.apart) return;
  points.push_back(point);
  if (points.size() < most_points) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
  curve.apart *= 2;
}

std::vector<std::string> Quantities::names() const {
  std::vector<std::string> names;
  for (const auto& [name, curve] : curves_) names.push_back(name);
  return names;
}

const std::vector<QuantityPoint>* Quantities::find(const std::string& name) const {
  const auto found = curves_.find(name);
  return found == curves_.end() ? nullptr : &found->second.points;
}

}  // namespace adarun::monitor::web
