// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "base/manual/help_format.h"
#include "base/nearest_word.h"
#include "base/version.h"
#include "trainer/base/error.h"
#include "trainer/base/run_id.h"
#include "trainer/options/boost.h"
#include "trainer/options/config.h"
#include "trainer/options/groups.h"
#include "trainer/options/parse.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

const char* const examples = R"(Examples:
  adarun-trainer                                          alone, on digits that it draws itself
  adarun-trainer --dataset mnist --data-path DIR --eval   alone, on MNIST
  mpirun -n 16 adarun-trainer                             16 ranks, combined by AdaSum
  mpirun -n 4 adarun-trainer --adasum-world any           fewer than the 16 ranks that the rule asks for
  adarun train --hosts node[1-2]:8 -- --epochs 5          the same program on two nodes
  adarun-trainer --preset lenet5-mnist --print-config     the options of a known job, as a file for --config
  adarun-trainer data draw --format cifar10 --out DIR     a small set of images (adarun-trainer data --help)
  adarun-trainer profile --model lenet5 --channels 1      the times of its layers, for adarun plan

Exit status: 0 done, 1 refused, 2 wrong usage, 3 could not do it.)";

constexpr const char* description = "Trains a model on one or many ranks, with gradients combined by AdaSum.";

/// Of adarun train, which asks before it starts anything; not shown.
constexpr const char* check_option = "--check-options";

/// The values of --boost and --boost-level.
struct Boost {
  std::string dictionary;
  std::string level = "O0";
};

void declare(CLI::App& app, TrainerOptions& options, Boost& boost, LogOptions& log) {
  app.formatter(std::make_shared<manual::HelpFormat>());
  app.footer(examples);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", base::version());
  options::add_job(app, options);
  options::add_data(app, options);
  options::add_learning(app, options);
  options::add_schedule(app, options);
  options::add_reduce(app, options);
  options::add_checkpoint(app, options);
  app.add_option("--boost", boost.dictionary, "The reference's boost dictionary, as JSON")->type_name("JSON");
  app.add_option("--boost-level", boost.level, "The reference's, where the dictionary leaves it open")
      ->check(CLI::IsMember({"O0", "O1", "O2"}))
      ->capture_default_str();
  app.add_flag("-v,--verbose", log.verbose, "Say on stderr what the program does; twice (-vv): all of it");
  app.add_option("--log-file", log.file,
                 "All of that, with its time, at most 16 MiB; of several ranks each writes FILE.<rank>")
      ->type_name("FILE");
  options::add_config(app);
  app.add_flag_function(
         check_option, [](std::int64_t) {}, "Only check the options")
      ->group("");
}

/// What is wrong, with the option that was probably meant.
std::string wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> strays = app.remaining();
  const auto option =
      std::ranges::find_if(strays, [](const std::string& word) { return word.starts_with("-"); });
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || option == strays.end())
    return error.what();
  std::vector<std::string> names;
  for (const CLI::Option* each : app.get_options())
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  const std::string typed = option->substr(0, option->find('='));
  const std::string meant = base::nearest_word(typed, names);
  return typed + ": adarun-trainer has no such option" +
         (meant.empty() ? "" : "; did you mean " + meant + "?");
}

/// Whether two names are of one folder.
bool same_folder(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  std::error_code error;
  const auto whole = [&error](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name + "/", error), error);
  };
  return whole(one) == whole(other) && !error;
}

/// Checks options that depend on each other.
void check_together(const TrainerOptions& options) {
  if (options.batch_size % options.micro_batches != 0) {
    throw Error("--batch-size " + std::to_string(options.batch_size) +
                    ": not a multiple of --micro-batches " + std::to_string(options.micro_batches),
                Exit::usage);
  }
  if (options.evaluate_steps > 0 && !options.evaluate)
    throw Error("--eval-every: wanted --eval too", Exit::usage);
  const bool wants_checkpoints =
      options.checkpoint_steps > 0 || options.checkpoint_minutes > 0 || options.resume;
  if (wants_checkpoints && options.checkpoint_dir.empty()) {
    throw Error("checkpoints: no folder: give --checkpoint-dir DIR", Exit::usage);
  }
  if (options.optimizer.nesterov && options.optimizer.name != "momentum") {
    throw Error("--nesterov: of --optimizer momentum alone, this one is " + options.optimizer.name,
                Exit::usage);
  }
  if (options.elastic) check_elastic(options);
  const auto& reduced = options.boost.dim_reduce;
  if (reduced && same_folder(reduced->checkpoint_dir, options.checkpoint_dir)) {
    throw Error(
        "--checkpoint-dir " + options.checkpoint_dir +
            ": dim_reduce makes its basis of the checkpoints there (weight_load_dir): wanted another folder",
        Exit::usage);
  }
}

/// Sets what the user left unset, from the environment and the data set.
void fill_in(TrainerOptions& options) {
  if (!options.workers && options.dataset == "imagefolder") options.workers = 2;
  const char* restarts = std::getenv("ADARUN_RESTART_COUNT");
  options.restarted = restarts != nullptr && std::atoi(restarts) > 0;
  const char* job = std::getenv("ADARUN_FIRST_JOB_ID");
  if (job == nullptr || *job == '\0') return;
  if (!is_run_id(job)) throw Error("ADARUN_FIRST_JOB_ID: wanted up to 64 letters, digits and -", Exit::usage);
  options.job_id = job;
}

}  // namespace

std::optional<double> options::plain_number(const std::string& text) {
  double number = 0;
  const bool is_plain = text.find_first_of(".0123456789") == 0 && CLI::detail::lexical_cast(text, number);
  return is_plain ? std::optional(number) : std::nullopt;
}

CLI::Validator options::number_in(double low, double high) {
  char range[80];
  std::snprintf(range, sizeof range, "%.10g to %.10g", low, high);
  const auto check = [low, high, wanted = std::string(range)](const std::string& text) {
    const std::optional<double> number = plain_number(text);
    if (number && *number >= low && *number <= high) return std::string();
    return "\"" + text + "\": wanted a number from " + wanted;
  };
  char description[80];
  std::snprintf(description, sizeof description, "FLOAT in [%g - %g]", low, high);
  return {check, description};
}

std::optional<TrainerOptions> parse_options(int argc, const char* const* argv, LogOptions& log,
                                            const std::function<std::string()>& version) {
  TrainerOptions options;
  Boost boost;
  CLI::App app(description, "adarun-trainer");
  declare(app, options, boost, log);
  if (version) app.set_version_flag("--version", version);
  options::ExpandedArguments arguments;
  try {
    arguments = options::expanded(app, {argv + 1, argv + argc});
    std::ranges::reverse(arguments.all);  // CLI11 takes them from the end
    app.parse(std::move(arguments.all));
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(wrong_usage(app, error) + " (see adarun-trainer --help)", Exit::usage);
  }
  if (app.count("--print-config") > 0) {
    std::cout << options::config_text(app) << "\n" << std::flush;
    if (!std::cout) throw Error("--print-config: cannot be written");
    return std::nullopt;
  }
  options::apply_boost(boost.level, boost.dictionary, arguments.beside_preset, options);
  options.same_on_all = options::text_for_all_nodes(app);
  fill_in(options);
  check_together(options);
  if (app.count(check_option) > 0) {
    require_folder(options.dataset, options.data_path);
    return std::nullopt;
  }
  return options;
}

std::vector<manual::Page> options::man_pages() {
  TrainerOptions options;
  Boost boost;
  LogOptions log;
  CLI::App app(description, "adarun-trainer");
  declare(app, options, boost, log);
  return manual::man_pages(app, [](const std::string&) { return false; });
}

}  // namespace adarun::trainer
