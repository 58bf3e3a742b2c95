// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/quantities.h"

namespace adarun::monitor::web {

void Quantities::add(const std::string& name, const QuantityPoint& point) {
  if (courses_.size() >= most_names && !courses_.contains(name)) return;
  Course& course = courses_[name];
  std::vector<QuantityPoint>& points = course.points;
  while (!points.empty() && points.back().position >= point.position) points.pop_back();
  if (!points.empty() && point.position - points.back().position < course.apart) return;
  points.push_back(point);
  if (points.size() < most_points) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
  course.apart *= 2;
}

std::vector<std::string> Quantities::names() const {
  std::vector<std::string> names;
  for (const auto& [name, course] : courses_) names.push_back(name);
  return names;
}

const std::vector<QuantityPoint>* Quantities::find(const std::string& name) const {
  const auto found = courses_.find(name);
  return found == courses_.end() ? nullptr : &found->second.points;
}

}  // namespace adarun::monitor::web
