// SPDX-License-Identifier: Apache-2.0
// Many workers in one process, to try other rules than those of the engine: the gradients of all workers are
// computed one after the other, then combined by slow and obvious code. Prints one JSON object.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adasum/scaled_group_mean.h"
#include "trainer/base/collective.h"
#include "trainer/callbacks/evaluator.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/loader.h"
#include "trainer/data/shard.h"
#include "trainer/models/layers.h"
#include "trainer/models/model.h"
#include "trainer/models/models.h"
#include "trainer/models/weights.h"
#include "trainer/passes/passes.h"
#include "trainer/schedules/schedule.h"

namespace trainer = adarun::trainer;

namespace {

using Vector = std::vector<float>;

struct Options {
  std::string model = "lenet5";
  std::string dataset = "mnist";
  std::string data_path;
  int workers = 32;
  int batch_size = 32;
  int epochs = 2;
  double rate = 0.02;
  double warmup = 0.17;  // of all steps
  float momentum = 0.9F;
  std::uint64_t seed = 1;
  std::string on = "gradient";  // or delta: of each worker's own momentum
  std::string memory = "own";   // of deltas: or combined (the combined delta becomes every worker's momentum)
  std::string per = "tensor";   // or row, or model
  bool mean_of_biases = false;
  bool nesterov = false;
  int group = 1;
  std::string gain = "none";  // of groups: members, spread or root (of spread)
  int keep_last = 0;          // evaluates the mean of the weights of the last so many steps
};

Options parsed(int argc, char** argv) {
  Options of;
  CLI::App app("Simulates many workers in one process.");
  app.add_option("--model", of.model);
  app.add_option("--dataset", of.dataset);
  app.add_option("--data-path", of.data_path);
  app.add_option("--workers", of.workers)->check(CLI::PositiveNumber);
  app.add_option("--batch-size", of.batch_size);
  app.add_option("--epochs", of.epochs);
  app.add_option("--lr", of.rate);
  app.add_option("--warmup", of.warmup);
  app.add_option("--momentum", of.momentum);
  app.add_option("--seed", of.seed);
  app.add_option("--on", of.on)->check(CLI::IsMember({"gradient", "delta"}));
  app.add_option("--memory", of.memory)->check(CLI::IsMember({"own", "combined"}));
  app.add_option("--per", of.per)->check(CLI::IsMember({"tensor", "row", "model"}));
  app.add_flag("--mean-of-biases", of.mean_of_biases);
  app.add_flag("--nesterov", of.nesterov);
  app.add_option("--group", of.group)->check(CLI::PositiveNumber);
  app.add_option("--gain", of.gain)->check(CLI::IsMember({"none", "members", "spread", "root"}));
  app.add_option("--keep-last", of.keep_last);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (of.workers % of.group != 0) {
    std::fprintf(stderr, "--workers %d: wanted a multiple of --group %d\n", of.workers, of.group);
    std::exit(2);
  }
  return of;
}

/// Values that AdaSum takes as one vector, or whose mean is taken.
struct Part {
  std::size_t begin;
  std::size_t end;
  bool mean;
};

std::vector<Part> parts_of(const trainer::Model& model, const Options& options) {
  std::vector<Part> parts;
  std::size_t begin = 0;
  for (const trainer::TensorShape& tensor : model.parameters) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const bool is_weight = tensor.decays();
    const auto rows = options.per == "row" && is_weight ? static_cast<std::size_t>(tensor.shape[0]) : 1;
    for (std::size_t row = 0; row < rows; ++row) {
      parts.push_back({begin + row * count / rows, begin + (row + 1) * count / rows,
                       options.mean_of_biases && !is_weight});
    }
    begin += count;
  }
  if (options.per == "model") return {{0, begin, false}};
  return parts;
}

double product(const Vector& a, const Vector& b, const Part& part) {
  double sum = 0;
  for (std::size_t i = part.begin; i < part.end; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

/// AdaSum of two vectors, or their sum, into `a`.
void add(Vector& a, const Vector& b, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    double of_a = 1;
    double of_b = 1;
    if (!part.mean) {
      const double ab = product(a, b, part);
      const double aa = product(a, a, part);
      const double bb = product(b, b, part);
      if (aa > 0) of_a = 1 - ab / (2 * aa);
      if (bb > 0) of_b = 1 - ab / (2 * bb);
    }
    for (std::size_t i = part.begin; i < part.end; ++i)
      a[i] = static_cast<float>(of_a * double{a[i]} + of_b * double{b[i]});
  }
}

/// The tree of neighbours: the result is in the first vector.
Vector combined(std::vector<Vector> all, const std::vector<Part>& parts) {
  const auto count = static_cast<float>(all.size());
  for (std::size_t distance = 1; distance < all.size(); distance *= 2) {
    for (std::size_t i = 0; i + distance < all.size(); i += 2 * distance)
      add(all[i], all[i + distance], parts);
  }
  for (const Part& part : parts) {
    if (!part.mean) continue;
    for (std::size_t i = part.begin; i < part.end; ++i) all[0][i] /= count;
  }
  return all[0];
}

/// The factor of a group's mean: between 1 and the number of members, as AdaSum's result of equal and of
/// orthogonal vectors is to their mean.
double gain_of(const std::vector<Vector>& members, const Vector& mean, const Part& part,
               const std::string& gain) {
  const auto count = static_cast<double>(members.size());
  if (gain == "none") return 1;
  if (gain == "members") return count;
  double squares = 0;
  for (const Vector& member : members) squares += product(member, member, part) / count;
  const double spread =
      adasum::spread_gain(squares, product(mean, mean, part), static_cast<int>(members.size()));
  return gain == "root" ? std::sqrt(spread) : spread;
}

std::vector<Vector> group_means(const std::vector<Vector>& all, const Options& options,
                                const std::vector<Part>& parts) {
  const auto size = static_cast<std::size_t>(options.group);
  if (size <= 1) return all;
  std::vector<Vector> means;
  for (std::size_t begin = 0; begin < all.size(); begin += size) {
    const std::vector<Vector> members(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                      all.begin() + static_cast<std::ptrdiff_t>(begin + size));
    Vector mean(members[0].size());
    for (const Vector& member : members) {
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += member[i] / static_cast<float>(size);
    }
    for (const Part& part : parts) {
      const auto gain = static_cast<float>(gain_of(members, mean, part, options.gain));
      for (std::size_t i = part.begin; i < part.end; ++i) mean[i] *= gain;
    }
    means.push_back(std::move(mean));
  }
  return means;
}

/// Velocities and the change of the weights that they give.
class Momentum {
 public:
  explicit Momentum(const Options& options) : options_(options) {}

  /// The direction of the step from what each worker or group has.
  Vector direction(std::vector<Vector> all, const std::vector<Part>& parts) {
    if (options_.on == "gradient") return moved(0, combined(std::move(all), parts));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = moved(i, all[i]);
    Vector result = combined(all, parts);
    if (options_.memory == "combined") std::ranges::fill(velocities_, result);
    return result;
  }

 private:
  Vector moved(std::size_t owner, const Vector& gradient) {
    if (velocities_.size() <= owner) velocities_.resize(owner + 1, Vector(gradient.size()));
    Vector& velocity = velocities_[owner];
    Vector direction(gradient.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      velocity[i] = options_.momentum * velocity[i] + gradient[i];
      direction[i] = options_.nesterov ? gradient[i] + options_.momentum * velocity[i] : velocity[i];
    }
    return direction;
  }

  const Options& options_;
  std::vector<Vector> velocities_;
};

class Simulation {
 public:
  explicit Simulation(const Options& options)
      : options_(options),
        train_(trainer::open_dataset(options.dataset, options.data_path, trainer::DatasetPart::train,
                                     options.seed)),
        test_(trainer::open_dataset(options.dataset, options.data_path, trainer::DatasetPart::test,
                                    options.seed)),
        model_(trainer::model_named(
            options.model, {train_->channels(), trainer::default_side(options.model), train_->classes()})),
        weights_(model_, options.seed),
        parts_(parts_of(model_, options)),
        momentum_(options) {
    for (int worker = 0; worker < options.workers; ++worker) {
      loaders_.emplace_back(*train_, trainer::Shard{worker, options.workers},
                            trainer::LoaderOptions{static_cast<std::size_t>(options.batch_size),
                                                   model_.shape.side, options.seed, 0});
    }
  }

  double accuracy() {
    const int steps = loaders_[0].steps();
    const trainer::Schedule schedule({"linear", options_.warmup * options_.epochs}, options_.rate, steps,
                                     options_.epochs);
    const int all = steps * options_.epochs;
    Vector sum(weights_.values().size());
    for (int epoch = 1; epoch <= options_.epochs; ++epoch) {
      for (trainer::Loader& loader : loaders_) loader.start(epoch);
      for (int step = 0; step < steps; ++step) {
        const int done = (epoch - 1) * steps + step;
        take(static_cast<float>(schedule.rate(done)));
        if (done < all - options_.keep_last) continue;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights_.values()[i];
      }
    }
    for (std::size_t i = 0; options_.keep_last > 0 && i < sum.size(); ++i)
      weights_.values()[i] = sum[i] / static_cast<float>(options_.keep_last);
    trainer::SingleProcessCommunicator alone;
    return trainer::accuracy(model_, weights_, *test_, alone);
  }

  int steps() { return loaders_[0].steps() * options_.epochs; }

 private:
  void take(float rate) {
    std::vector<Vector> gradients;
    for (trainer::Loader& loader : loaders_) {
      std::ranges::fill(weights_.gradients(), 0.0F);
      trainer::add_gradients(model_, weights_, loader.next(), {});
      gradients.emplace_back(weights_.gradients().begin(), weights_.gradients().end());
    }
    const Vector direction = momentum_.direction(group_means(gradients, options_, parts_), parts_);
    for (std::size_t i = 0; i < direction.size(); ++i) weights_.values()[i] -= rate * direction[i];
  }

  const Options& options_;
  std::unique_ptr<trainer::Dataset> train_;
  std::unique_ptr<trainer::Dataset> test_;
  trainer::Model model_;
  trainer::Weights weights_;
  std::vector<Part> parts_;
  Momentum momentum_;
  std::vector<trainer::Loader> loaders_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parsed(argc, argv);
  Simulation simulation(options);
  const int steps = simulation.steps();
  std::printf("{\"seed\": %llu, \"steps\": %d, \"accuracy\": %.4f}\n",
              static_cast<unsigned long long>(options.seed), steps, simulation.accuracy());
}
