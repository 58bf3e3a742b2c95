// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/metrics_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

namespace adarun::monitor::web {
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

bool is_known(const std::string& name) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

bool MetricsFile::poll() {
  const FileTail::News news = tail_.read(buffer_);
  if (news == FileTail::News::none) return false;
  if (news == FileTail::News::begun_anew) lines_.reset();
  feed(buffer_);
  return true;
}

void MetricsFile::feed(std::string_view bytes) {
  lines_.feed(bytes, [this](std::string_view line) { take_line(line); });
}

void MetricsFile::take_line(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return;
  const auto epoch = count_in(object, "epoch");
  const auto step = count_in(object, "step");
  if (!epoch || !step) return;
  if (object.value("event", json()) == "dropped") ++dropped_;
  const std::uint64_t position = clock_.position(*epoch, *step);
  if (const auto seconds = number_in(object, "time_s")) take_time(position, *seconds);
  const auto take = [&](const std::string& name, const json& value) {
    if (value.is_number() && name.size() <= most_name_bytes)
      keep(name, {position, *epoch, *step, value.get<double>()});
  };
  for (const auto& [name, value] : object.items()) {
    if (is_known(name)) continue;
    take(name, value);
    if (!value.is_object()) continue;
    for (const auto& [inner, each] : value.items()) take(name + "." + inner, each);
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

void MetricsFile::keep(const std::string& name, const Sample& sample) {
  if (quantities_.size() >= most_quantities && !quantities_.contains(name)) return;
  Quantity& quantity = quantities_[name];
  std::vector<Sample>& samples = quantity.samples;
  while (!samples.empty() && samples.back().position >= sample.position) samples.pop_back();
  if (!samples.empty() && sample.position - samples.back().position < quantity.apart) return;
  samples.push_back(sample);
  if (samples.size() < most_samples) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); i += 2) samples[kept++] = samples[i];
  samples.resize(kept);
  quantity.apart *= 2;
}

}  // namespace adarun::monitor::web
