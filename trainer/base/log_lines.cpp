// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/log_lines.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace adarun::trainer {
namespace {

std::string not_finite(int epoch, int step, const std::string& what) {
  return "In epoch: " + std::to_string(epoch) + " step: " + std::to_string(step) + ", " + what +
         " is NAN or INF, ";
}

std::string terminating_line(int epoch, int step, const std::string& what) {
  return not_finite(epoch, step, what) + "training process cannot continue, terminating training.";
}

std::string gradient_of(int rank) {
  return "gradient of rank " + std::to_string(rank);
}

std::string accuracy_at(const std::string& place, double accuracy) {
  return "Eval result: " + place + ", metrics: {'accuracy': " + python_float(accuracy) + "}";
}

}  // namespace

std::string python_float(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  const double size = std::abs(number);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number,
                                 exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer, end.ptr);
  if (!exponent && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string starting_line() {
  return "============== Starting Training ==============";
}

std::string loss_line(int epoch, int step, float loss) {
  return "epoch: " + std::to_string(epoch) + " step: " + std::to_string(step) + ", loss is " +
         python_float(loss);
}

std::string epoch_time_line(Milliseconds epoch, int steps) {
  char text[120];
  std::snprintf(text, sizeof text, "Train epoch time: %.3f ms, per step time: %.3f ms", epoch.count(),
                epoch.count() / steps);
  return text;
}

std::string eval_line(int epoch, double accuracy) {
  return accuracy_at("epoch " + std::to_string(epoch), accuracy);
}

std::string eval_line(int epoch, int step, double accuracy) {
  return accuracy_at("epoch " + std::to_string(epoch) + " step " + std::to_string(step), accuracy);
}

std::string not_finite_line(int epoch, int step) {
  return terminating_line(epoch, step, "loss");
}

std::string not_finite_gradient_line(int epoch, int step, int rank) {
  return terminating_line(epoch, step, gradient_of(rank));
}

std::string step_dropped_line(int epoch, int step, int rank, double loss_scale) {
  return not_finite(epoch, step, gradient_of(rank)) + "step left out, loss scale is " +
         python_float(loss_scale);
}

std::string accuracy_line(double accuracy) {
  char text[40];
  std::snprintf(text, sizeof text, "accuracy: %.4f", accuracy);
  return text;
}

std::string checkpoint_line(int epoch, int step) {
  return "checkpoint: epoch " + std::to_string(epoch) + " step " + std::to_string(step);
}

std::string stopped_line(int epoch, int step) {
  return "stopped: epoch " + std::to_string(epoch) + " step " + std::to_string(step) +
         ", a checkpoint is written";
}

}  // namespace adarun::trainer
