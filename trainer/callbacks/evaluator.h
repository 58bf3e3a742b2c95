// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "adasum/communicators/communicator.h"
#include "trainer/callbacks/callback.h"
#include "trainer/callbacks/checkpointer.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/model.h"
#include "trainer/models/weights.h"
#include "trainer/parallel/split_run.h"

namespace adarun::trainer {

/// Weights::buffers() (statistics of the data) in a measurement: their mean over the ranks, which replaces
/// them first; or as each rank has them, where ranks have models of their own.
enum class Statistics { mean, own };

/// How accuracy is measured.
struct Evaluation {
  std::size_t images = 256;  ///< That a rank takes at once.
  Statistics statistics = Statistics::mean;
  int workers = 0;  ///< Threads that read images in advance, each batch within the time of a training's.
  std::function<void()> after_batch = [] {};  ///< Called as often on every rank. May throw.
};

/// Images that an evaluation takes at once: 256, or so many that the tensors of the largest layer need at
/// most 256 MB, but not fewer than the `of_pass` images (at least 1) of a pass of the training, which has
/// memory for them.
std::size_t images_at_once(const Model& model, std::size_t of_pass);

/// The share of correct answers over the whole of `dataset`. Each rank evaluates its shard, and counts are
/// summed over the ranks, so each image counts once. Collective.
double accuracy(const Model& model, Weights& weights, const Dataset& dataset,
                adasum::Communicator& communicator, const Evaluation& how = {});

/// The same where layers are split over ranks: each replica evaluates its shard. Takes Evaluation::images,
/// rounded up to a multiple of SplitRun::image_ranks(), as layers of any number of replicas need it. First
/// replaces Weights::buffers() by their mean over the replicas.
double accuracy(SplitRun& split, Weights& weights, const Dataset& dataset, const Evaluation& how = {});

/// What is measured. All must outlive the Evaluator.
struct Evaluated {
  adasum::Communicator& communicator;
  const Model& model;
  Weights& weights;
  const Dataset& dataset;
  SplitRun* split = nullptr;  ///< Where layers are split over ranks.
};

/// Measures and prints accuracy after each epoch. Unless `steps` is 0, also after every `steps` steps of an
/// epoch, or as soon after them as the ranks are together. Throws Stopped if a rank is asked to stop
/// meanwhile, and there is a Checkpointer.
class Evaluator : public Callback {
 public:
  /// Whether every local step has been combined: between combinations ranks may have different weights.
  using IsTogether = std::function<bool()>;

  Evaluator(Print print, const Evaluated& of, const Evaluation& how, int steps, IsTogether is_together)
      : print_(std::move(print)), of_(of), how_(how), steps_(steps), is_together_(std::move(is_together)) {}

  /// `checkpointer`: ends a measurement when a rank is asked to stop. It must outlive this object.
  void stop_by(Checkpointer& checkpointer) { checkpointer_ = &checkpointer; }

  void step_end(const Progress& progress) override;
  void epoch_end(const Progress& last) override;

  /// The accuracy after the last completed epoch; if there is none, that of the current weights. Collective.
  double accuracy();

 private:
  enum class AfterResume { is_repeated, is_not };
  double measure(const Progress& at, AfterResume after_resume);

  Print print_;
  Evaluated of_;
  Evaluation how_;
  int steps_;
  IsTogether is_together_;
  Checkpointer* checkpointer_ = nullptr;
  bool due_ = false;
  std::optional<double> accuracy_;
};

}  // namespace adarun::trainer
