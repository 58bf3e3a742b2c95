// SPDX-License-Identifier: Apache-2.0
#include "trainer/run.h"

#include <cstdio>
#include <memory>

#include "trainer/callbacks/evaluator.h"
#include "trainer/callbacks/loss_monitor.h"
#include "trainer/callbacks/time_monitor.h"
#include "trainer/log_lines.h"
#include "trainer/models/models.h"
#include "trainer/train.h"

namespace adarun::trainer {
namespace {

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string combination_text(const Options& options, const Combination& combination) {
  switch (combination.reduce) {
    case Reduce::adasum:
      return std::string("adasum of ") +
             (options.adasum_on == AdasumOn::delta ? "weight deltas" : "gradients") +
             (combination.group_size == 1 ? ", flat"
                                          : ", groups of " + std::to_string(combination.group_size));
    case Reduce::mean:
      return "mean of gradients";
    case Reduce::sum:
      return "sum of gradients";
    case Reduce::none:
      break;
  }
  return "gradients not combined";
}

void print_setting(const Options& options, const Combination& combination, const adasum::Peers& peers,
                   const Print& print) {
  print("rank " + std::to_string(peers.rank()) + " of " + std::to_string(peers.size()) + ": " +
        options.model + " on " + options.dataset + ", " + combination_text(options, combination));
  print(format("%s: lr %g, momentum %g, batch %d per rank", options.optimizer.name.c_str(),
               static_cast<double>(options.optimizer.learning_rate),
               options.optimizer.name == "sgd" ? 0.0 : static_cast<double>(options.optimizer.momentum),
               options.batch_size));
  print("seed: " + std::to_string(options.seed));
}

void print_checksum(const Weights& weights, const char* when, const Print& print) {
  print(format("weights: checksum 0x%016llx at %s",
               static_cast<unsigned long long>(checksum(weights.values())), when));
}

/// The model takes the images that the data set has, at the size it was made for unless the user says
/// otherwise.
ModelShape shape_for(const Options& options, const Dataset& dataset) {
  return {dataset.channels(), options.image_size.value_or(usual_side(options.model)),
          options.classes.value_or(dataset.classes())};
}

}  // namespace

void run(const Options& options, const Combination& combination, adasum::Peers& peers, const Print& print) {
  const auto open = [&](Part part) {
    return open_dataset(options.dataset, options.data_path, part, options.seed);
  };
  const std::unique_ptr<Dataset> dataset = open(Part::train);
  const std::unique_ptr<Dataset> test = options.evaluate ? open(Part::test) : nullptr;
  const Model model = model_named(options.model, shape_for(options, *dataset));

  // Each rank starts elsewhere, so that equal weights are the broadcast's doing.
  Weights weights(model, options.seed + static_cast<std::uint64_t>(peers.rank()));
  peers.broadcast(std::as_writable_bytes(weights.values()), 0);
  Combiner combiner(peers, combination.reduce, combination.group_size);

  LossMonitor loss(print, options.log_every);
  TimeMonitor time(print, peers, options.batch_size);
  std::vector<Callback*> callbacks = {&loss, &time};
  std::unique_ptr<Evaluator> evaluator;
  if (test) {
    evaluator = std::make_unique<Evaluator>(print, peers, model, weights, *test);
    callbacks.push_back(evaluator.get());
  }

  print_setting(options, combination, peers, print);
  print_checksum(weights, "start", print);
  print(starting_line());
  train({model, weights, *dataset, {peers.rank(), peers.size()}, combiner, callbacks}, options);
  print_checksum(weights, "end", print);
  if (evaluator) print(format("accuracy: %.4f", evaluator->accuracy().value_or(0)));
}

}  // namespace adarun::trainer
