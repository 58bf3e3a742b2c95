// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/boost_sections.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "trainer/base/error.h"

namespace adarun::trainer::options {
namespace {

using Json = nlohmann::json;

/// The values of one section.
class Section {
 public:
  /// Throws Error (usage) if the section has other keys than `keys`.
  Section(const std::string& text, std::string name, const std::vector<std::string>& keys)
      : name_(std::move(name)), values_(Json::parse(text)) {
    for (const auto& [key, unused] : values_.items()) {
      if (std::ranges::find(keys, key) == keys.end()) refuse_unknown(name_ + "." + key, keys);
    }
  }

  void read(const char* key, bool& value) const {
    if (!values_.contains(key)) return;
    if (!values_.at(key).is_boolean()) refuse_value(key, "true or false");
    value = values_.at(key).get<bool>();
  }

  void read(const char* key, std::string& value) const {
    if (!values_.contains(key)) return;
    if (!values_.at(key).is_string()) refuse_value(key, "a string");
    value = values_.at(key).get<std::string>();
  }

  /// A whole number in [low, high].
  void read(const char* key, int& value, int low, int high) const {
    if (!values_.contains(key)) return;
    const Json& found = values_.at(key);
    // get<double>(): a number beyond the range of int must not wrap into it.
    if (!found.is_number_integer() || found.get<double>() < low || found.get<double>() > high) {
      refuse_value(key, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    value = found.get<int>();
  }

  /// A number in [low, high], or without `high` itself if `below`.
  struct Range {
    double low;
    double high;
    bool below = false;
    const char* text;
  };
  void read(const char* key, double& value, const Range& range) const {
    if (!values_.contains(key)) return;
    const Json& found = values_.at(key);
    const double number = found.is_number() ? found.get<double>() : -1;
    if (number < range.low || number > range.high || (range.below && number == range.high))
      refuse_value(key, range.text);
    value = number;
  }

 private:
  [[noreturn]] void refuse_value(const std::string& key, const std::string& wanted) const {
    refuse_boost(name_ + "." + key + " " + values_.at(key).dump() + ": wanted " + wanted);
  }

  std::string name_;
  Json values_;
};

constexpr int most = 1 << 30;

}  // namespace

void refuse_boost(const std::string& what) {
  throw Error("--boost: " + what, Exit::usage);
}

void refuse_unknown(const std::string& name, const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  refuse_boost(name + ": not one of " + all);
}

std::optional<int> read_device_number(const std::string& section) {
  int number = 0;
  Section(section, "common", {"device_number", "gradient_split_groups"})
      .read("device_number", number, 1, most);
  return number == 0 ? std::nullopt : std::optional(number);
}

LessBnOptions read_less_bn(const std::string& section) {
  LessBnOptions options;
  const Section values(section, "less_bn", {"fn_flag", "gc_flag"});
  values.read("fn_flag", options.normalize_scores);
  values.read("gc_flag", options.centralize_gradients);
  return options;
}

GradFreezeOptions read_grad_freeze(const std::string& section) {
  GradFreezeOptions options;
  const Section values(section, "grad_freeze", {"param_groups", "freeze_type", "freeze_p", "total_steps"});
  values.read("param_groups", options.groups, 1, 1 << 16);
  int order = 1;
  values.read("freeze_type", order, 0, 1);
  options.order = order == 0 ? FreezeOrder::periodic : FreezeOrder::drawn;
  values.read("freeze_p", options.full_share, {0, 1, true, "a number from 0 to below 1"});
  values.read("total_steps", options.total_steps, 1, 1 << 26);
  return options;
}

DimReduceOptions read_dim_reduce(const std::string& section) {
  DimReduceOptions options;
  const Section values(
      section, "dim_reduce",
      {"rho", "gamma", "alpha", "sigma", "n_components", "pca_mat_path", "weight_load_dir", "timeout"});
  const Section::Range part{0, 1, true, "a number from 0 to below 1"};
  values.read("rho", options.rho, part);
  values.read("gamma", options.gamma, part);
  values.read("alpha", options.alpha, {0, 1e6, false, "a number from 0 to 1e6"});
  values.read("sigma", options.sigma, part);
  values.read("n_components", options.components, 1, 1 << 16);
  values.read("pca_mat_path", options.basis_file);
  values.read("weight_load_dir", options.checkpoint_dir);
  values.read("timeout", options.timeout_s, {0.001, 1e7, false, "seconds from 0.001 to 1e7"});
  if (options.basis_file.empty() && options.checkpoint_dir.empty())
    refuse_boost("dim_reduce: wanted pca_mat_path (a basis) or weight_load_dir (checkpoints to make it of)");
  return options;
}

int read_accumulation(const std::string& section) {
  int steps = 1;
  Section(section, "grad_accumulation", {"grad_accumulation_step"})
      .read("grad_accumulation_step", steps, 1, 1 << 20);
  return steps;
}

}  // namespace adarun::trainer::options
