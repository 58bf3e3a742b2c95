// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/checkpointer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace adarun::trainer {

Checkpointer::Checkpointer(adasum::Peers& peers, const CheckpointTimes& times, IsTogether is_together,
                           Save save, StopRequested stop_requested)
    : peers_(peers),
      times_(times),
      is_together_(std::move(is_together)),
      save_(std::move(save)),
      stop_requested_(std::move(stop_requested)) {}

void Checkpointer::step_end(const Progress& progress) {
  if (times_.steps > 0 && progress.all_steps % times_.steps == 0) due_ = true;
  if (++since_talked_ >= next_talk_) talk();
  if (!(due_ || stops_) || !is_together_()) return;
  save_(progress);
  due_ = false;
  saved_ = Clock::now();
  if (stops_) throw Stopped{progress};
}

void Checkpointer::talk() {
  using Seconds = std::chrono::duration<double>;
  constexpr double pause_s = 0.5;
  const Clock::time_point now = Clock::now();
  std::array<double, 3> said = {stop_requested_() ? 1.0 : 0.0, 0, 0};
  if (peers_.rank() == 0) {
    const bool late = times_.minutes > 0 && Seconds(now - saved_).count() >= 60 * times_.minutes;
    const double step_s = Seconds(now - talked_).count() / since_talked_;
    said[1] = late ? 1 : 0;
    said[2] = std::clamp(pause_s / std::max(step_s, 1e-6), 1.0, 1000.0);
  }
  peers_.sum(std::span<double>(said));
  stops_ = stops_ || said[0] > 0;
  due_ = due_ || said[1] > 0;
  next_talk_ = static_cast<int>(said[2]);
  since_talked_ = 0;
  talked_ = now;
}

}  // namespace adarun::trainer
