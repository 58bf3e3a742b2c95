// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/transport_log.h"

#include <chrono>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "launcher/protocol/message_text.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_preamble_bytes = 500;

std::string span(std::int64_t nanoseconds) {
  return base::describe(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(nanoseconds)));
}

std::string microseconds(std::int64_t nanoseconds) {
  return std::to_string(nanoseconds / 1'000) + " us";
}

}  // namespace

void TransportLog::sent(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) {
  const std::string text = message_text(message);
  if (text.empty()) return;
  if (nodes.size() == 1)
    say(nodes.front(), "<- " + text);
  else
    log_.debug("<- " + text + " (to " + std::to_string(nodes.size()) + " nodes)");
}

void TransportLog::take(std::vector<TransportEvent>& events) {
  for (const TransportEvent& event : events) tell(event);
  std::erase_if(events, [](const TransportEvent& event) {
    const auto* message = std::get_if<protocol::Message>(&event.what);
    return message != nullptr && std::holds_alternative<protocol::Diagnostic>(*message);
  });
}

void TransportLog::tell(const TransportEvent& event) {
  if (const auto* message = std::get_if<protocol::Message>(&event.what)) {
    if (const auto* said = std::get_if<protocol::Diagnostic>(message))
      return tell_words(event.node,
                        "agent: " + base::clean_line(said->text, protocol::Diagnostic::most_bytes));
    if (const std::string text = message_text(*message); !text.empty()) tell_words(event.node, "-> " + text);
  } else if (const auto* step = std::get_if<LinkStep>(&event.what)) {
    tell_step(event.node, *step);
  } else if (const auto* reading = std::get_if<ClockReading>(&event.what)) {
    tell_clock(event.node, *reading);
  } else if (const auto* remark = std::get_if<LinkRemark>(&event.what)) {
    say(event.node, "link: " + remark->text);
  } else if (const auto* preamble = std::get_if<LinkPreamble>(&event.what)) {
    log_.write(base::Level::info, nodes_[event.node].name,
               "printed before its agent answered: " + base::clean_line(preamble->text, most_preamble_bytes));
  } else if (const auto* cut = std::get_if<LinkCut>(&event.what)) {
    say(event.node, "link cut: " + cut->reason);
  } else if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
    say(event.node, "link lost: " + lost->reason);
  } else if (std::holds_alternative<LinkResumed>(event.what)) {
    say(event.node, "link resumed");
  }
}

void TransportLog::tell_step(std::uint32_t node, const LinkStep& step) {
  LinkStep& last = nodes_[node].step;
  say(node,
      "link: " + step.name +
          (last.name.empty() ? "" : " (" + last.name + " took " + span(step.time_ns - last.time_ns) + ")"));
  last = step;
}

// Limits how much one node can add to the log.
void TransportLog::tell_words(std::uint32_t node, const std::string& text) {
  protocol::DiagnosticBudget& budget = nodes_[node].budget;
  if (!budget.take(protocol::DiagnosticBudget::Clock::now())) return;
  const std::uint64_t left_out = budget.take_left_out();
  say(node, (left_out == 0 ? "" : std::to_string(left_out) + " messages left out; ") + text);
}

// Logs only the first reading.
void TransportLog::tell_clock(std::uint32_t node, const ClockReading& reading) {
  if (std::exchange(nodes_[node].clock_is_known, true)) return;
  const std::int64_t trip = reading.answered_ns - reading.asked_ns;
  say(node, "clock: " + microseconds(reading.node_ns - reading.asked_ns - trip / 2) + " ahead of ours, to " +
                microseconds(trip / 2));
}

void TransportLog::say(std::uint32_t node, const std::string& text) {
  log_.write(base::Level::debug, nodes_[node].name, text);
}

}  // namespace adarun::launcher
