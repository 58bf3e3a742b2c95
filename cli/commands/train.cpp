// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/train.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/process.h"
#include "base/read_text.h"
#include "base/system_text.h"
#include "base/unnamed_file.h"
#include "cli/arguments/command.h"
#include "cli/arguments/launch_options.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/check/node_checks.h"
#include "cli/commands/commands.h"
#include "cli/view/ask_hosts.h"
#include "cli/view/background_program.h"
#include "cli/view/launch_job.h"
#include "cli/view/loss_view.h"
#include "cli/view/output_view.h"
#include "ranktable/model/table.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* train_examples = R"(
Options of the trainer stand behind --; adarun train -- --help lists them.

Examples:
  adarun train --hosts node[1-2]:8
  adarun train -r hccl_2s_16p.json -- --dataset mnist --data-path /data/mnist --eval
  adarun train --hosts node[1-2]:8 -- --model resnet20 --recipe best
  adarun train --hosts node[1-2]:8 -- --reduce mean --lr 0.1

Exit status: as `adarun launch`. AdaSum wants a power of two of at least 16 devices: another table is refused
with status 1 before anything is connected.)";

struct TrainOptions {
  LaunchOptions launch;
  std::string trainer;
  std::string adasum_world;
};

constexpr std::chrono::seconds answer_timeout{10};
constexpr const char* by_the_trainer = "adarun-trainer: ";

bool is_of_nodes(const fs::path& file, bool is_elsewhere) {
  std::error_code ignored;
  return (file.is_absolute() || is_elsewhere) && !fs::exists(file, ignored);
}

// `is_elsewhere`: ranks start in another folder than this one.
bool has_config_of_nodes(const std::vector<std::string>& options, bool is_elsewhere) {
  const std::string option = "--config";
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == option && i + 1 < options.size() && is_of_nodes(options[i + 1], is_elsewhere))
      return true;
    if (options[i].starts_with(option + "=") &&
        is_of_nodes(options[i].substr(option.size() + 1), is_elsewhere))
      return true;
  }
  return false;
}

// Whether the variables of the job may say where the data is.
bool may_name_data(const LaunchOptions& launch) {
  return !launch.environment_file.empty() ||
         std::any_of(launch.environment.begin(), launch.environment.end(), [](const std::string& variable) {
           return variable.substr(0, variable.find('=')) == "DATA_PATH";
         });
}

// Becomes the trainer of this machine, with --help or --version as its `option`, which it answers and ends.
// Throws ExitError if it cannot be run.
[[noreturn]] void ask_trainer(const std::string& program, const std::string& option) {
  std::string path = program;
  std::string word = option;
  const std::array<char*, 3> argv{path.data(), word.data(), nullptr};
  execv(path.c_str(), argv.data());
  throw ExitError(exit_failed, "train: " + program + ": " + base::system_text(errno));
}

// Has the trainer of this machine read the options that ranks will get, before anything starts. Throws
// ExitError with exit_usage and its message if it refuses them. Checks nothing without options, where
// `program` is not installed here or does not answer within some seconds, and where --config names a file
// that only the nodes may have.
void check_trainer_options(const std::string& program, const std::vector<std::string>& options,
                           const LaunchOptions& launch) {
  if (options.empty() || access(program.c_str(), X_OK) != 0) return;
  if (has_config_of_nodes(options, !launch.workdir.empty())) return;
  const base::FileDescriptor said = base::memory_file();
  if (!said) return;
  std::vector<std::string> argv{program, "--check-options"};
  if (may_name_data(launch)) argv.emplace_back("--data-path=.");  // Others behind it take precedence.
  if (!launch.reach->is_local()) unsetenv("DATA_PATH");           // Ranks do not get this shell's.
  argv.insert(argv.end(), options.begin(), options.end());
  if (BackgroundProgram(argv, said.get()).succeeds_within(answer_timeout)) return;
  std::string text = base::read_text("/proc/self/fd/" + std::to_string(said.get()));
  text = text.substr(0, text.find('\n'));
  if (!text.starts_with(by_the_trainer)) return;
  throw ExitError(exit_usage, "train: " + base::clean_line(text.substr(std::string(by_the_trainer).size())));
}

// The value of `--name VALUE` or `--name=VALUE`; the last one is used.
std::string value_of(const std::vector<std::string>& arguments, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].rfind(name + "=", 0) == 0) value = arguments[i].substr(name.size() + 1);
  }
  return value;
}

// Of the summary: which settings AdaSum had; empty where the options name others than a recipe's.
std::string recipe_line(const std::vector<std::string>& argv, bool adasum) {
  if (value_of(argv, "--recipe") == "best") return "recipe      best";
  constexpr std::array<std::string_view, 6> of_recipes{"--preset",        "--config",     "--boost",
                                                       "--device-number", "--adasum-per", "--nesterov"};
  const bool others = std::ranges::any_of(argv, [&](const std::string& word) {
    return std::ranges::find(of_recipes, word.substr(0, word.find('='))) != of_recipes.end();
  });
  return others || !adasum ? "" : "recipe      reference (see also --recipe best)";
}

// Shows the ranks' stderr, without the loss.
MakeView errors_view() {
  return [](BackgroundOutput& output) {
    return std::make_unique<OutputView>(output, OutputOptions{OutputOptions::Tags::ranks, {}, true});
  };
}

int run_train(TrainOptions options, const Invocation& invocation) {
  std::vector<std::string> argv{trainer_program(options.trainer)};
  // Another trainer may do more than answer.
  const std::string asked = options.trainer.empty() ? asked_of_trainer(invocation.trailing) : "";
  if (!asked.empty()) ask_trainer(argv.front(), asked);
  argv.insert(argv.end(), invocation.trailing.begin(), invocation.trailing.end());
  if (!options.adasum_world.empty()) argv.insert(argv.end(), {"--adasum-world", options.adasum_world});
  if (options.launch.min_ranks) argv.emplace_back("--elastic");
  options.launch.reads_groups = false;
  options.launch.reads_stdin = false;
  const bool asked_for_rules =
      std::exchange(options.launch.adasum, false) && value_of(argv, "--adasum-world") != "any";
  launcher::Placement placement = place(
      options.launch, [&options](std::vector<launcher::Host>& hosts) { ask_devices(hosts, options.launch); });
  const std::size_t ranks = ranktable::device_count(placement.table);
  if (asked_for_rules || wants_adasum_rules(argv, ranks)) {
    // Only here is their number known.
    require_adasum_world(options.launch, ranks, "to train all the same, add --adasum-world any");
    options.launch.adasum = true;
  }
  settle_min_nodes(options.launch, placement);
  // Another trainer may do more than read its options.
  if (options.trainer.empty())
    check_trainer_options(argv.front(), {argv.begin() + 1, argv.end()}, options.launch);
  if (options.launch.spares.exclude_unfit && !options.launch.dry_run)
    placement = fit_nodes(options.launch, placement, options.trainer);
  // 0 if it is not a number: the trainer reports that error.
  const std::uint64_t epochs = parse_whole<std::uint64_t>(value_of(argv, "--epochs")).value_or(0);
  const bool quiet = options.launch.level == base::Level::error;
  const std::string recipe = options.trainer.empty() ? recipe_line(argv, options.launch.adasum) : "";
  return launch_job(options.launch, placement, argv,
                    quiet ? errors_view() : loss_view(invocation.color, epochs, recipe));
}

}  // namespace

std::string trainer_program(const std::string& given) {
  if (!given.empty()) return given;
  return base::own_program().parent_path() / "adarun-trainer";
}

std::string asked_of_trainer(const std::vector<std::string>& trainer_options) {
  for (const std::string& word : trainer_options) {
    if (word == "--help" || word == "-h") return "--help";
    if (word == "--version") return word;
  }
  return {};
}

bool wants_adasum_rules(const std::vector<std::string>& trainer_options, std::size_t ranks) {
  const std::string reduce = value_of(trainer_options, "--reduce");
  const bool alone = ranks == 1 || value_of(trainer_options, "--parallel-mode") == "stand_alone";
  // Presets, config files and boost dictionaries are read and checked only by the trainer.
  const bool said_elsewhere =
      std::ranges::any_of(std::initializer_list<const char*>{"--preset", "--config", "--boost"},
                          [&](const char* option) { return !value_of(trainer_options, option).empty(); });
  const bool adasum = reduce == "adasum" || (reduce.empty() && !said_elsewhere && !alone);
  return adasum && value_of(trainer_options, "--adasum-world") != "any";
}

void add_train(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      app.add_subcommand("train", "Train with AdaSum: the built-in trainer as every rank, its loss shown");
  options->launch.log = &invocation.log;
  command->option_defaults()->group("The trainer");
  add_text(*command, "--trainer", options->trainer, "PATH",
           "Path of adarun-trainer on the nodes (default: where adarun lies)");
  add_text(*command, "--adasum-world", options->adasum_world, "reference|any",
           "any: also worlds below 16 ranks, for experiments (default: reference)");
  add_launch_options(*command, options->launch);
  command->footer(train_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_train(*options, invocation); });
}

}  // namespace adarun::cli
