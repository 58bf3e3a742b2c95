// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/ask.h"

#include <poll.h>

#include <algorithm>

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds longest_wait{1'000};

void wait(const Transport& transport, const Survey& survey) {
  std::chrono::milliseconds timeout = longest_wait;
  if (const auto deadline = survey.deadline())
    timeout = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*deadline - Survey::Clock::now()),
                         std::chrono::milliseconds(0), longest_wait);
  pollfd polled{transport.ready_fd(), POLLIN, 0};
  poll(&polled, 1, static_cast<int>(timeout.count()));
}

}  // namespace

std::vector<std::string> ask(Transport& transport, const std::vector<Interview*>& interviews,
                             const ShowProgress& show) {
  Survey survey(interviews);
  SurveyProgress shown;
  while (!survey.ended()) {
    wait(transport, survey);
    for (const TransportEvent& event : transport.take()) survey.on_event(event, Survey::Clock::now());
    survey.on_time(Survey::Clock::now());
    for (const Survey::Outgoing& out : survey.take_outgoing()) transport.send(out.node, out.message);
    if (survey.progress() == shown) continue;
    shown = survey.progress();
    show(shown);
  }
  return survey.reasons();
}

}  // namespace adarun::launcher
