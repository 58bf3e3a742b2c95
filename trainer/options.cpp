// SPDX-License-Identifier: Apache-2.0
#include "trainer/options.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "trainer/error.h"

namespace adarun::trainer {
namespace {

const char* const examples = R"(Examples:
  adarun-trainer                                          alone, on digits that it draws itself
  adarun-trainer --dataset mnist --data-path DIR --eval   alone, on MNIST
  mpirun -n 16 adarun-trainer                             16 ranks, combined by AdaSum
  mpirun -n 4 adarun-trainer --adasum-world any           fewer than the 16 ranks that the rule asks for
  adarun train --hosts node[1-2]:8 -- --epochs 5          the same program on two nodes

Exit status: 0 done, 1 refused, 2 wrong usage, 3 could not do it.)";

/// CLI11 takes -1 for an unsigned number, and nan for one in a range.
std::string plain_number(const std::string& text) {
  const bool plain = !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
  return plain ? "" : "\"" + text + "\": wanted a number from 0 on";
}

/// A choice among names, shown as {a,b,c}; CLI11's own transformer also takes the numbers behind them.
template <typename Value>
void add_choice(CLI::App& app, const std::string& option, Value& value,
                const std::map<std::string, Value>& names, const std::string& description) {
  std::vector<std::string> keys;
  for (const auto& [name, unused] : names) keys.push_back(name);
  app.add_option_function<std::string>(
         option, [&value, names](const std::string& name) { value = names.at(name); }, description)
      ->check(CLI::IsMember(keys));
}

void add_job(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "What is trained")
      ->check(CLI::IsMember({"lenet5", "mlp"}))
      ->capture_default_str();
  app.add_option("--dataset", options.dataset, "What it learns from; digits needs no file")
      ->check(CLI::IsMember({"digits", "mnist"}))
      ->capture_default_str();
  app.add_option("--data-path", options.data_path, "Folder of the dataset")->envname("DATA_PATH");
  app.add_option("--epochs", options.epochs)->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--batch-size", options.batch_size, "Images per step of each rank")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--max-steps", options.max_steps, "End after N steps in all; 0: no limit")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of weights, shuffling and digits")
      ->check(plain_number)
      ->capture_default_str();
  app.add_flag("--eval", options.evaluate, "Measure accuracy on the test part after each epoch");
  app.add_option("--log-every", options.log_every, "Steps from one loss line to the next")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
}

void add_learning(CLI::App& app, Options& options) {
  OptimizerOptions& optimizer = options.optimizer;
  app.add_option("--optimizer", optimizer.name)
      ->check(CLI::IsMember({"momentum", "sgd"}))
      ->capture_default_str();
  app.add_option("--lr", optimizer.learning_rate, "Learning rate")
      ->check(plain_number)
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--momentum", optimizer.momentum)
      ->check(plain_number)
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--weight-decay", optimizer.weight_decay, "On weights, not on biases")
      ->check(plain_number)
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--label-smoothing", options.label_smoothing)
      ->check(plain_number)
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

/// A whole number from 1 on, or `flat`.
int group_size(const std::string& text) {
  int size = 0;
  if (text == "flat") return 1;
  if (!CLI::detail::lexical_cast(text, size) || size < 1) {
    throw Error("--device-number " + text + ": wanted a number from 1 on, or flat", Exit::usage);
  }
  return size;
}

void add_combining(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "--reduce",
         [&options](const std::string& name) {
           const std::map<std::string, Reduce> names = {{"adasum", Reduce::adasum},
                                                        {"mean", Reduce::mean},
                                                        {"sum", Reduce::sum},
                                                        {"none", Reduce::none}};
           options.reduce = names.at(name);
         },
         "How gradients of ranks become one (default: adasum; none for one rank)")
      ->check(CLI::IsMember({"adasum", "mean", "sum", "none"}));
  add_choice<AdasumOn>(app, "--adasum-on", options.adasum_on,
                       {{"gradient", AdasumOn::gradient}, {"delta", AdasumOn::delta}},
                       "Combine gradients (default), or how far each rank's own step went");
  app.add_option_function<std::string>(
      "--device-number", [&options](const std::string& text) { options.device_number = group_size(text); },
      "N|flat: mean in groups of N ranks, AdaSum between groups (default: 8 where that leaves 2 groups)");
  add_choice<AdasumWorld>(app, "--adasum-world", options.adasum_world,
                          {{"reference", AdasumWorld::reference}, {"any", AdasumWorld::any}},
                          "reference: a power of two and at least 16 ranks (default); any: for experiments");
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Trains a model on one or many ranks, with gradients combined by AdaSum.", "adarun-trainer");
  app.footer(examples);
  app.set_version_flag("--version", ADARUN_VERSION);
  add_job(app, options);
  add_learning(app, options);
  add_combining(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + " (see adarun-trainer --help)", Exit::usage);
  }
  return options;
}

}  // namespace adarun::trainer
