// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/config.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/parse_json.h"
#include "base/schema_address.h"
#include "trainer/base/error.h"
#include "trainer/base/named.h"

namespace adarun::trainer::options {
namespace {

struct Preset {
  const char* name;
  const char* text;
  const char* base = "";  ///< Name of the preset whose other options it has.
};

constexpr const char* imagenet = "adasum-resnet50-imagenet";

// The values of the public tutorials. Learning rates for AdaSum are those for one device: it needs no
// scaling.
const Preset presets[] = {
    {imagenet, R"({
  "model": "resnet50", "dataset": "imagefolder", "num-classes": 1001, "image-size": 224,
  "batch-size": 256, "epochs": 90, "reduce": "adasum", "device-number": 8, "eval": true,
  "optimizer": "momentum", "momentum": 0.9, "weight-decay": 0.0001, "label-smoothing": 0.1,
  "schedule": "linear", "lr-start": 0, "lr": 0.8, "lr-end": 0, "warmup-epochs": 5, "loss-scale": 1024
})"},
    {"resnet50-cifar10", R"({
  "model": "resnet50", "dataset": "cifar10", "image-size": 224, "batch-size": 32, "epochs": 10, "reduce": "mean",
  "optimizer": "momentum", "lr": 0.01, "momentum": 0.9, "eval": true
})"},
    {"mlp-mnist-accumulation", R"({
  "model": "mlp", "dataset": "mnist", "batch-size": 32, "micro-batches": 4, "epochs": 10, "reduce": "mean",
  "optimizer": "sgd", "lr": 0.01
})"},
    {"lenet5-mnist", R"({
  "model": "lenet5", "dataset": "mnist", "batch-size": 32, "epochs": 10, "optimizer": "momentum", "lr": 0.01,
  "momentum": 0.9, "eval": true
})"},
    {"boost-o1-resnet50-imagenet", R"({"reduce": "mean", "boost-level": "O1"})", imagenet},
    {"boost-o2-resnet50-imagenet", R"({"boost-level": "O2"})", imagenet},
    {"boost-adasum-resnet50-imagenet", R"({"boost-level": "O1", "boost": {
  "boost": {"mode": "manual", "less_bn": false, "grad_freeze": false, "adasum": true, "grad_accumulation": false,
            "dim_reduce": false},
  "common": {"gradient_split_groups": [50, 100], "device_number": 8}
}})",
     imagenet},
};

// What docs/convergence.md found best of AdaSum, with SGD and momentum.
constexpr const char* best_recipe = R"({"device-number": "flat", "adasum-per": "row", "nesterov": true})";

// Folders and files, what else a node may have another one of, and what is only shown.
const char* const of_node[] = {"data-path", "checkpoint-dir", "metrics",   "plan", "costs",
                               "device",    "workers",        "log-every", "sink"};

const char* const own[] = {"check-options", "preset",  "recipe",  "config",  "print-config",
                           "help",          "version", "verbose", "log-file"};

std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The options in `text`, as arguments. `source` is named in errors.
std::vector<std::string> arguments_in(const CLI::App& app, const std::string& text,
                                      const std::string& source) {
  if (base::is_nested_too_deep(text)) throw Error(source + ": " + base::nested_too_deep_text(), Exit::usage);
  const auto object = base::parse_json<nlohmann::json>(text);
  if (!object.is_object()) throw Error(source + ": not a JSON object", Exit::usage);
  std::vector<std::string> arguments;
  for (const auto& [name, value] : object.items()) {
    if (name == "$schema") continue;  // For editors.
    if (app.get_option_no_throw("--" + name) == nullptr || std::ranges::count(own, name) > 0) {
      throw Error(source + ": no option is called \"" + name + "\"", Exit::usage);
    }
    arguments.push_back("--" + name + "=" + text_of(value));
  }
  return arguments;
}

std::vector<std::string> arguments_of_preset(const CLI::App& app, const std::string& name) {
  const Preset& preset = entry_named(presets, "preset", name);
  std::vector<std::string> all;
  for (const char* of : {preset.base, preset.name}) {
    if (*of == '\0') continue;
    const auto more = arguments_in(app, entry_named(presets, "preset", of).text, "--preset " + name);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::string read(const std::string& file) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown))
    throw Error(file + ": is a directory, wanted a file", Exit::usage);
  std::ifstream in(file);
  if (!in) throw Error(file + ": cannot be opened");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The value of `--name VALUE` or `--name=VALUE`; the last one counts.
std::string value_of(const std::vector<std::string>& arguments, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(name + "=")) value = arguments[i].substr(name.size() + 1);
  }
  return value;
}

/// Objects as such, and numbers and booleans that are read as the same text again; everything else as a
/// string: a folder 1.10 is not 1.1.
nlohmann::json json_of(const std::string& text) {
  const auto value = base::parse_json<nlohmann::json>(text);
  const bool is_plain = (value.is_number() || value.is_boolean()) && value.dump() == text;
  return is_plain || value.is_object() ? value : nlohmann::json(text);
}

nlohmann::ordered_json values_of(const CLI::App& app) {
  nlohmann::ordered_json object;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // without a name in CLI11's answer
    const std::string name = option->get_name().substr(2);
    if (std::ranges::count(own, name) > 0) continue;
    const std::string value = option->count() > 0 ? option->results().back() : option->get_default_str();
    if (!value.empty()) object[name] = json_of(value);
  }
  return object;
}

}  // namespace

std::vector<std::string> preset_names() {
  return names_in(presets);
}

void add_config(CLI::App& app) {
  // Named in the description, whose lines can be broken, instead of by the check.
  std::string names;
  for (const std::string& name : preset_names()) names += (names.empty() ? "" : ", ") + name;
  app.add_option("--preset")
      ->description("Options of a known job (" + names + "); others beside it change them")
      ->type_name("NAME")
      ->check(CLI::IsMember(preset_names()).description(""));
  app.add_option("--recipe",
                 "reference (default): AdaSum as the tutorials have it; best: what learned best in "
                 "docs/convergence.md")
      ->type_name("reference|best")
      ->check(CLI::IsMember({"reference", "best"}).description(""));
  app.add_option("--config", "JSON file with options; others beside it change them")->type_name("FILE");
  app.add_flag_callback(
      "--print-config", [] {}, "Print all options as such a file, and do nothing");
}

ExpandedArguments expanded(const CLI::App& app, const std::vector<std::string>& arguments) {
  ExpandedArguments expanded;
  if (const std::string name = value_of(arguments, "--preset"); !name.empty())
    expanded.all = arguments_of_preset(app, name);
  const auto put = [&](const std::vector<std::string>& more) {
    expanded.all.insert(expanded.all.end(), more.begin(), more.end());
    for (const std::string& each : more) expanded.beside_preset.insert(each.substr(0, each.find('=')));
  };
  if (value_of(arguments, "--recipe") == "best") put(arguments_in(app, best_recipe, "--recipe best"));
  if (const std::string file = value_of(arguments, "--config"); !file.empty())
    put(arguments_in(app, read(file), file));
  put(arguments);
  return expanded;
}

std::string config_text(const CLI::App& app) {
  nlohmann::ordered_json object{{"$schema", base::schema_address("trainer-config")}};
  object.update(values_of(app));
  return object.dump(2);
}

std::string text_for_all_nodes(const CLI::App& app) {
  std::string text;
  const nlohmann::ordered_json values = values_of(app);
  for (const auto& [name, value] : values.items()) {
    if (std::ranges::count(of_node, name) == 0) text += '"' + name + "\": " + value.dump() + "\n";
  }
  return text;
}

}  // namespace adarun::trainer::options
