// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/checkpointer.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

namespace adarun::trainer {
namespace {

volatile std::sig_atomic_t requested = 0;

}  // namespace

void catch_stop_signal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { requested = 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() {
  return requested != 0;
}

Checkpointer::Checkpointer(adasum::Communicator& communicator, const CheckpointTimes& times,
                           IsTogether is_together, Save save, StopRequested stop_requested)
    : communicator_(communicator),
      times_(times),
      is_together_(std::move(is_together)),
      save_(std::move(save)),
      stop_requested_(std::move(stop_requested)),
      saved_at_(times.since) {}

bool Checkpointer::is_due_by_steps(const Progress& at) const {
  return times_.steps > 0 && at.all_steps > 0 && at.all_steps % times_.steps == 0;
}

void Checkpointer::write(const Progress& at) {
  save_(at);
  due_ = false;
  saved_steps_ = at.all_steps;
  saved_at_ = Clock::now();
}

void Checkpointer::proceed(const Progress& at, bool saved) {
  reached_ = at;
  if (saved) saved_steps_ = at.all_steps;
  exchange_requests();
  if (!saved && (is_due_by_steps(at) || stops_)) write(at);
  if (stops_) throw Stopped{at};
}

void Checkpointer::step_end(const Progress& progress) {
  reached_ = progress;
  if (is_due_by_steps(progress)) due_ = true;
  if (++steps_since_exchange_ >= exchange_interval_) exchange_requests();
  if (!(due_ || stops_) || !is_together_()) return;
  write(progress);
  if (stops_) throw Stopped{progress};
}

bool Checkpointer::is_to_stop() {
  exchange_requests();
  exchange_interval_ = 1;  // That was not the time of a step.
  return stops_ && is_together_();
}

void Checkpointer::stop(const Progress& at) {
  if (at.all_steps > 0) reached_ = at;
  if (reached_.all_steps != saved_steps_) write(reached_);
  throw Stopped{reached_};
}

void Checkpointer::finish() {
  if (reached_.all_steps != saved_steps_ && is_together_()) write(reached_);
}

void Checkpointer::exchange_requests() {
  using Seconds = std::chrono::duration<double>;
  constexpr double pause_s = 0.5;
  const Clock::time_point now = Clock::now();
  std::array<double, 3> requests = {stop_requested_() ? 1.0 : 0.0, 0, 0};
  if (communicator_.rank() == 0) {
    const bool late = times_.minutes > 0 && Seconds(now - saved_at_).count() >= 60 * times_.minutes;
    const double step_s = Seconds(now - exchanged_at_).count() / std::max(steps_since_exchange_, 1);
    requests[1] = late ? 1 : 0;
    requests[2] = std::clamp(pause_s / std::max(step_s, 1e-6), 1.0, 1000.0);
  }
  communicator_.sum(std::span<double>(requests));
  stops_ = stops_ || requests[0] > 0;
  due_ = due_ || requests[1] > 0;
  exchange_interval_ = static_cast<int>(requests[2]);
  steps_since_exchange_ = 0;
  exchanged_at_ = now;
}

}  // namespace adarun::trainer
