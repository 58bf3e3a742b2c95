// SPDX-License-Identifier: Apache-2.0
// The switches of the reference's boost dictionary. What each of them means is in boost_sections.cpp.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "trainer/base/error.h"
#include "trainer/options/boost_sections.h"
#include "trainer/options/groups.h"
#include "trainer/options/rules.h"

namespace adarun::trainer::options {
namespace {

using Json = nlohmann::json;
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
