// SPDX-License-Identifier: Apache-2.0
#include "cli/session/deliver_output.h"

#include <chrono>

namespace adarun::cli {
namespace {

// How long the last lines may take where nobody reads them.
constexpr std::chrono::seconds last_words_wait{1};

}  // namespace

bool deliver_output(const launcher::JobReport& report, const launcher::SignalGuard& signals, JobView& view) {
  using Clock = std::chrono::steady_clock;
  BackgroundOutput& output = view.output();
  const auto end = report.was_cut_short() ? Clock::now() + last_words_wait : Clock::time_point::max();
  bool signalled = false;
  const auto goes_on = [&] {
    signalled = signalled || signals.take() != 0;
    return !signalled && Clock::now() < end;
  };
  const bool delivered = output.drain(output.out(), goes_on);
  const BackgroundOutput::Losses losses = output.losses();
  if (!delivered || losses.out_failed || losses.dropped_bytes > 0)
    view.say("stdout: not all output could be written there; the logs have it");
  output.drain(output.err(), goes_on);
  return !signalled;
}

}  // namespace adarun::cli
