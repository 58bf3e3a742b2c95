// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/ask.h"

#include <poll.h>

#include <algorithm>

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds longest_wait{1'000};

void wait(const Transport& transport, const ProbeSession& session) {
  std::chrono::milliseconds timeout = longest_wait;
  if (const auto deadline = session.deadline())
    timeout = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*deadline - ProbeSession::Clock::now()),
                         std::chrono::milliseconds(0), longest_wait);
  pollfd polled{transport.ready_fd(), POLLIN, 0};
  poll(&polled, 1, static_cast<int>(timeout.count()));
}

}  // namespace

std::vector<std::string> ask(Transport& transport, const std::vector<NodeProbe*>& probes,
                             const ShowProgress& show) {
  ProbeSession session(probes);
  ProbeProgress shown;
  while (!session.ended()) {
    wait(transport, session);
    for (const TransportEvent& event : transport.take()) session.on_event(event, ProbeSession::Clock::now());
    session.on_time(ProbeSession::Clock::now());
    for (const Outgoing& out : session.take_outgoing()) transport.send(out.nodes, out.message);
    if (session.progress() == shown) continue;
    shown = session.progress();
    show(shown);
  }
  return session.reasons();
}

}  // namespace adarun::launcher
