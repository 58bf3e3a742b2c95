// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/metrics_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/parse_json.h"
#include "monitor/series/series.h"

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

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> known{"event", "epoch", "step", "steps", "loss", "time_s"};
constexpr std::size_t most_name_bytes = 64;

std::optional<std::uint64_t> count_in(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<double> number_in(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>().substr(0, most_name_bytes)
                                                     : "";
}

QuantityPoint point_at(std::uint64_t position, double value) {
  return {position, value, value, value};
}

// The numbers in each object inside an object.
std::map<std::string, std::map<std::string, double>> numbers_in(const json& object) {
  std::map<std::string, std::map<std::string, double>> numbers;
  for (const auto& [layer, values] : object.items()) {
    if (!values.is_object() || numbers.size() >= MetricsFile::most_layers) continue;
    for (const auto& [name, value] : values.items())
      if (value.is_number() && name.size() <= most_name_bytes) numbers[layer][name] = value.get<double>();
  }
  return numbers;
}

bool is_known(const std::string& name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

void MetricsFile::follow(std::filesystem::path path) {
  tail_ = FileTail(std::move(path), Links::refused);
  lines_.reset();
  clock_.begin_again();
}

bool MetricsFile::poll() {
  const FileTail::Change news = tail_.read(buffer_);
  if (news == FileTail::Change::none) return false;
  if (news == FileTail::Change::restarted) lines_.reset();
  feed(buffer_);
  return true;
}

void MetricsFile::feed(std::string_view bytes) {
  lines_.feed_each(bytes, [this](std::string_view line) { take_line(line); });
}

void MetricsFile::take_line(std::string_view line) {
  const json object = base::parse_json<json>(line);
  if (!object.is_object()) return;
  const auto epoch = count_in(object, "epoch");
  const auto step = count_in(object, "step");
  if (!epoch || !step) return;
  const std::string event = text_in(object, "event");
  const std::uint64_t position = clock_.position(*epoch, *step);
  if (const auto seconds = number_in(object, "time_s")) take_time(position, *seconds);
  for (const auto& [name, value] : object.items()) {
    if (is_known(name) || name.size() > most_name_bytes) continue;
    if (value.is_number()) quantities_.add(name, point_at(position, value.get<double>()));
    if (!value.is_object()) continue;
    layers_ = {*epoch, *step, numbers_in(value)};
    take_layers(event, position);
  }
}

void MetricsFile::take_layers(const std::string& event, std::uint64_t position) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& [layer, numbers] : layers_.numbers)
    for (const auto& [name, number] : numbers) values[name].push_back(number);
  for (auto& [name, each] : values) {
    std::sort(each.begin(), each.end());
    quantities_.add(event + "." + name, {position, each.front(), median(each), each.back()});
  }
}

void MetricsFile::take_time(std::uint64_t position, double printed_s) {
  if (base_s_ + printed_s < last_s_) base_s_ = last_s_;
  const double seconds = base_s_ + printed_s;
  if (position > last_position_ && seconds > last_s_ && !times_.empty()) {
    const std::uint64_t steps = position - last_position_;
    step_times_.add((seconds - last_s_) * 1000 / static_cast<double>(steps), steps);
  }
  times_.note(position, seconds);
  last_position_ = position;
  last_s_ = seconds;
}

}  // namespace adarun::monitor::web
