// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "trainer/error.h"
#include "trainer/man_pages.h"
#include "trainer/options/boost.h"
#include "trainer/options/config.h"
#include "trainer/options/groups.h"

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

Exit status: 0 done, 1 refused, 2 wrong usage, 3 could not do it.)";

constexpr const char* description = "Trains a model on one or many ranks, with gradients combined by AdaSum.";

/// What --boost and --boost-level say.
struct Boost {
  std::string dictionary;
  std::string level = "O0";
};

void declare(CLI::App& app, Options& options, Boost& boost) {
  app.footer(examples);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", ADARUN_VERSION);
  options::add_job(app, options);
  options::add_data(app, options);
  options::add_learning(app, options);
  options::add_schedule(app, options);
  options::add_combining(app, options);
  options::add_keeping(app, options);
  app.add_option("--boost", boost.dictionary, "The reference's boost dictionary, as JSON")->type_name("JSON");
  app.add_option("--boost-level", boost.level, "The reference's, where the dictionary leaves it open")
      ->check(CLI::IsMember({"O0", "O1", "O2"}))
      ->capture_default_str();
  options::add_config(app);
}

/// What one option says must fit the others.
void check_together(const Options& options) {
  if (options.batch_size % options.micro_batches != 0) {
    throw Error("--batch-size " + std::to_string(options.batch_size) +
                    ": not a multiple of --micro-batches " + std::to_string(options.micro_batches),
                Exit::usage);
  }
  const bool keeps = options.checkpoint_steps > 0 || options.checkpoint_minutes > 0 || options.resume;
  if (keeps && options.checkpoint_dir.empty()) {
    throw Error("checkpoints: no folder: give --checkpoint-dir DIR", Exit::usage);
  }
}

/// What the environment and the data set say where the user does not.
void fill_in(Options& options) {
  if (!options.workers && options.dataset == "imagefolder") options.workers = 2;
  const char* restarts = std::getenv("ADARUN_RESTART_COUNT");
  const bool restarted = restarts != nullptr && std::atoi(restarts) > 0;
  if (restarted && !options.checkpoint_dir.empty()) options.resume = true;
}

}  // namespace

std::string options::plain_number(const std::string& text) {
  const bool plain = !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
  return plain ? "" : "\"" + text + "\": wanted a number from 0 on";
}

std::optional<Options> parse_options(int argc, const char* const* argv,
                                     const std::function<std::string()>& version) {
  Options options;
  Boost boost;
  CLI::App app(description, "adarun-trainer");
  declare(app, options, boost);
  if (version) app.set_version_flag("--version", version);
  try {
    std::vector<std::string> arguments = options::expanded(app, {argv + 1, argv + argc});
    std::ranges::reverse(arguments);  // CLI11 takes them from the end
    app.parse(std::move(arguments));
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + " (see adarun-trainer --help)", Exit::usage);
  }
  if (app.count("--print-config") > 0) {
    std::cout << options::config_text(app) << "\n";
    return std::nullopt;
  }
  options::apply_boost(boost.level, boost.dictionary, options);
  fill_in(options);
  check_together(options);
  return options;
}

std::vector<manual::Page> options::man_pages() {
  Options options;
  Boost boost;
  CLI::App app(description, "adarun-trainer");
  declare(app, options, boost);
  return manual::man_pages(app, [](const std::string&) { return false; });
}

}  // namespace adarun::trainer
