// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/groups.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "trainer/base/error.h"

namespace adarun::trainer::options {
namespace {

using Json = nlohmann::json;
using Switches = std::set<std::string>;

/// All switches, and why a switch is not supported; empty: it is supported.
const std::map<std::string, std::string> reasons = {
    {"adasum", ""},
    {"grad_accumulation", ""},
    {"less_bn",
     "a pass of the reference's compiler takes normalizations out of its own graph, by patterns that only "
     "its "
     "source describes"},
    {"grad_freeze",
     "it leaves the first layers unlearned in steps drawn by chance, with an optimizer of its own for each "
     "number of them, in a path of the reference that never calls AdaSum"},
    {"dim_reduce",
     "it learns in directions that come from checkpoints of an earlier training (32 of them by default), by "
     "an "
     "optimizer of its own instead of the one that was chosen"},
    {"loss_scale_group", "one loss scale serves all tensors"},
};

const std::map<std::string, Switches> of_level = {
    {"O0", {}}, {"O1", {"less_bn", "grad_freeze"}}, {"O2", {"less_bn", "grad_freeze", "adasum"}}};

[[noreturn]] void refuse_use(const std::string& what) {
  throw Error("--boost: " + what, Exit::usage);
}

Switches all_switches() {
  Switches all;
  for (const auto& [name, unused] : reasons) all.insert(name);
  return all;
}

/// The switches that are true in `boost`. All keys must be the reference's switches, with true or false.
Switches given(const Json& boost) {
  Switches on;
  for (const auto& [name, value] : boost.items()) {
    if (name == "mode") continue;
    if (!reasons.contains(name)) refuse_use("boost." + name + ": not one of the reference's switches");
    if (!value.is_boolean()) refuse_use("boost." + name + ": wanted true or false");
    if (value.get<bool>()) on.insert(name);
  }
  return on;
}

Switches switches(const std::string& level, const Json& dictionary) {
  const Json boost = dictionary.value("boost", Json::object());
  if (!boost.is_object()) refuse_use("boost: wanted an object");
  const Switches manual = given(boost);
  const Json mode = boost.value("mode", Json("auto"));
  if (mode == "auto") return of_level.at(level);
  if (mode == "manual") return manual;
  if (mode == "enable_all") return all_switches();
  if (mode == "disable_all") return {};
  refuse_use("boost.mode " + mode.dump() + ": not one of auto, manual, enable_all, disable_all");
}

Json parsed(const std::string& text) {
  if (text.empty()) return Json::object();
  const Json dictionary = Json::parse(text, nullptr, false);
  if (!dictionary.is_object()) refuse_use("not a JSON object");
  for (const auto& [name, value] : dictionary.items()) {
    const bool section = reasons.contains(name) || name == "boost" || name == "common";
    if (!section) refuse_use(name + ": not one of the reference's sections");
    if (!value.is_object()) refuse_use(name + ": wanted an object");
  }
  return dictionary;
}

/// A whole number of at least 1 at section.name, or `otherwise`.
int number(const Json& dictionary, const std::string& section, const std::string& name, int otherwise) {
  const Json found = dictionary.value(section, Json::object()).value(name, Json(otherwise));
  if (!found.is_number_integer() || found < 1)
    refuse_use(section + "." + name + ": wanted a whole number from 1 on");
  return found;
}

}  // namespace

void apply_boost(const std::string& level, const std::string& text, TrainerOptions& options) {
  const Json dictionary = parsed(text);
  const Switches on = switches(level, dictionary);
  for (const std::string& name : on) {
    if (reasons.at(name).empty()) continue;
    throw Error("boost: " + name + " is not offered: " + reasons.at(name), Exit::refused);
  }
  const bool adasum = on.contains("adasum");
  const bool accumulation = on.contains("grad_accumulation");
  if (adasum && accumulation) {
    throw Error(
        "boost: adasum with grad_accumulation is not offered: the reference takes one step for all that it "
        "has "
        "accumulated and combines how far that went; here each rank would have taken several",
        Exit::refused);
  }
  if (adasum) {
    options.reduce = Reduce::adasum;
    options.adasum_on = AdasumOn::delta;
    options.device_number = number(dictionary, "common", "device_number", 8);
  }
  if (accumulation)
    options.local_steps = number(dictionary, "grad_accumulation", "grad_accumulation_step", 1);
}

}  // namespace adarun::trainer::options
