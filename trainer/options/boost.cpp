// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/boost.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/options/rules.h"

namespace adarun::trainer::options {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_boost(const std::string& what) {
  throw Error("--boost: " + what, Exit::usage);
}

/// Refuses `name`, which is none of `known`.
[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  refuse_boost(name + ": not one of " + all);
}

/// The values of one section of the dictionary, which is JSON text of an object. Keys that are not given
/// have the reference's values. Throws Error (usage), with section and key, on keys that the reference does
/// not have and on values out of range.
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

/// common.device_number; nothing if it is not given. common.gradient_split_groups (how the reference splits
/// gradients for sending) is ignored.
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

/// Wants pca_mat_path or weight_load_dir.
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

/// grad_accumulation.grad_accumulation_step.
int read_accumulation(const std::string& section) {
  int steps = 1;
  Section(section, "grad_accumulation", {"grad_accumulation_step"})
      .read("grad_accumulation_step", steps, 1, 1 << 20);
  return steps;
}

using Switches = std::set<std::string>;

const Switches all_switches = {"adasum",      "dim_reduce", "grad_accumulation",
                               "grad_freeze", "less_bn",    "loss_scale_group"};

const std::map<std::string, Switches> of_level = {
    {"O0", {}}, {"O1", {"less_bn", "grad_freeze"}}, {"O2", {"less_bn", "grad_freeze", "adasum"}}};

/// The names of the switches, and these.
std::vector<std::string> with(const Switches& switches, const std::vector<std::string>& others) {
  std::vector<std::string> names(switches.begin(), switches.end());
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

/// Changes the switches that `boost` gives. All keys must be the reference's switches, with true or false.
void override_switches(Switches& on, const Json& boost) {
  for (const auto& [name, value] : boost.items()) {
    if (name == "mode") continue;
    if (!all_switches.contains(name)) refuse_unknown("boost." + name, with(all_switches, {"mode"}));
    if (!value.is_boolean()) refuse_boost("boost." + name + ": wanted true or false");
    if (value.get<bool>()) {
      on.insert(name);
    } else {
      on.erase(name);
    }
  }
}

Json mode_of(const Json& dictionary) {
  return dictionary.value("boost", Json::object()).value("mode", Json("auto"));
}

Switches switches(const std::string& level, const Json& dictionary) {
  Switches manual = of_level.at(level);
  override_switches(manual, dictionary.value("boost", Json::object()));
  const Json mode = mode_of(dictionary);
  if (mode == "auto") return of_level.at(level);
  if (mode == "manual") return manual;
  if (mode == "enable_all") return all_switches;
  if (mode == "disable_all") return {};
  refuse_boost("boost.mode " + mode.dump() + ": not one of auto, manual, enable_all, disable_all");
}

Json parsed_dictionary(const std::string& text) {
  if (text.empty()) return Json::object();
  const Json dictionary = Json::parse(text, nullptr, false);
  if (!dictionary.is_object()) refuse_boost("not a JSON object");
  for (const auto& [name, value] : dictionary.items()) {
    const bool is_section = all_switches.contains(name) || name == "boost" || name == "common";
    if (!is_section) refuse_unknown(name, with(all_switches, {"boost", "common"}));
    if (!value.is_object()) refuse_boost(name + ": wanted an object");
  }
  return dictionary;
}

/// The JSON text of a section; of an empty one if it is not given.
std::string section_text(const Json& dictionary, const char* name) {
  return dictionary.value(name, Json::object()).dump();
}

void refuse_what_is_not_offered(const Switches& on) {
  if (on.contains("loss_scale_group")) {
    throw Error("boost: loss_scale_group is not offered: one loss scale serves all tensors", Exit::refused);
  }
  if (on.contains("adasum") && on.contains("grad_accumulation")) {
    throw Error(
        "boost: adasum with grad_accumulation is not offered: the reference takes one step for all that it "
        "has accumulated and combines the change; here each rank would have taken several",
        Exit::refused);
  }
}

[[noreturn]] void refuse_against(const std::string& what, const std::string& option) {
  throw Error("boost: " + what + ", but " + option + ": leave one of them out", Exit::usage);
}

void accumulate(const std::string& section, TrainerOptions& options) {
  const int steps = read_accumulation(section);
  if (options.local_steps != 1 && options.local_steps != steps)
    refuse_against("grad_accumulation_step is " + std::to_string(steps),
                   "--local-steps is " + std::to_string(options.local_steps));
  options.local_steps = steps;
}

/// Refuses options that the user has given and that say something else.
void refuse_other_options(const std::set<std::string>& given, std::optional<int> of_dictionary,
                          const TrainerOptions& options) {
  if (given.contains("--reduce") && options.reduce != Reduce::adasum)
    refuse_against("adasum is on", "--reduce is not adasum");
  if (given.contains("--adasum-on") && options.adasum_on != AdasumOn::delta)
    refuse_against("adasum is on, of weight deltas", "--adasum-on is gradient");
  if (given.contains("--device-number") && of_dictionary && options.device_number != of_dictionary)
    refuse_against("common.device_number is " + std::to_string(*of_dictionary),
                   "--device-number is " +
                       (options.device_number == 1 ? "flat" : std::to_string(*options.device_number)));
}

/// Where the user has not given another option. `of_dictionary`: the size of groups there.
void combine_by_adasum(const std::set<std::string>& given, std::optional<int> of_dictionary,
                       TrainerOptions& options) {
  if (given.contains("--reduce") && options.reduce != Reduce::adasum) return;
  options.reduce = Reduce::adasum;
  if (!given.contains("--adasum-on")) options.adasum_on = AdasumOn::delta;
  if (!given.contains("--device-number") && of_dictionary) options.device_number = of_dictionary;
  if (!options.device_number) options.device_number = default_device_number;
}

}  // namespace

void apply_boost(const std::string& level, const std::string& text, const std::set<std::string>& given,
                 TrainerOptions& options) {
  const Json dictionary = parsed_dictionary(text);
  const std::optional<int> device_number = read_device_number(section_text(dictionary, "common"));
  Switches on = switches(level, dictionary);
  if (level == "O0") {
    if (!dictionary.empty() && mode_of(dictionary) != "disable_all")
      options.boost.notes.emplace_back(
          "boost: level O0: the dictionary has no effect (--boost-level O1 or O2)");
    return;
  }
  if (on.contains("dim_reduce")) {
    std::erase_if(
        on, [](const std::string& name) { return name != "dim_reduce" && name != "grad_accumulation"; });
  }
  refuse_what_is_not_offered(on);
  if (on.contains("less_bn")) options.boost.less_bn = read_less_bn(section_text(dictionary, "less_bn"));
  if (on.contains("grad_freeze"))
    options.boost.grad_freeze = read_grad_freeze(section_text(dictionary, "grad_freeze"));
  if (on.contains("dim_reduce"))
    options.boost.dim_reduce = read_dim_reduce(section_text(dictionary, "dim_reduce"));
  if (on.contains("grad_accumulation")) accumulate(section_text(dictionary, "grad_accumulation"), options);
  if (!on.contains("adasum")) return;
  const bool is_of_preset = !given.contains("--boost") && !given.contains("--boost-level");
  if (!is_of_preset) refuse_other_options(given, device_number, options);
  combine_by_adasum(given, device_number, options);
}

}  // namespace adarun::trainer::options
