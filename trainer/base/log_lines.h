// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace adarun::trainer {

/// The lines of a training log, without line ends, in the exact format that users and log parsers of the
/// reference expect. Epochs and steps count from 1, steps within their epoch.

/// Prints one line immediately. The line has no line end.
using Print = std::function<void(const std::string& line)>;

using Milliseconds = std::chrono::duration<double, std::milli>;

/// `============== Starting Training ==============`
std::string starting_line();

/// `epoch: 1 step: 100, loss is 7.793933868408203`
std::string loss_line(int epoch, int step, float loss);

/// `Train epoch time: 1234.567 ms, per step time: 12.345 ms`
std::string epoch_time_line(Milliseconds epoch, int steps);

/// `Eval result: epoch 3, metrics: {'accuracy': 0.987}`, or within an epoch
/// `Eval result: epoch 3 step 20, metrics: {'accuracy': 0.987}`
std::string eval_line(int epoch, double accuracy);
std::string eval_line(int epoch, int step, double accuracy);

/// `In epoch: 2 step: 17, loss is NAN or INF, training process cannot continue, terminating training.`
std::string not_finite_line(int epoch, int step);

/// Not in the reference: `In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, training process cannot
/// continue, terminating training.`
std::string not_finite_gradient_line(int epoch, int step, int rank);

/// Not in the reference: `In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, step left out, loss scale
/// is 512.0`
std::string step_dropped_line(int epoch, int step, int rank, double loss_scale);

/// Not in the reference: `accuracy: 0.9871`
std::string accuracy_line(double accuracy);

/// Not in the reference: `checkpoint: epoch 2 step 17`, `stopped: epoch 2 step 17, a checkpoint is written`
std::string checkpoint_line(int epoch, int step);
std::string stopped_line(int epoch, int step);

/// `number` as Python prints a float: the fewest digits that convert back to it, with an exponent below 1e-4
/// and from 1e16 on, with `.0` after a whole number; nan, inf.
std::string python_float(double number);

}  // namespace adarun::trainer
