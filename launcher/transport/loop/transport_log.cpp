// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/transport_log.h"

#include <chrono>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_preamble_bytes = 500;

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

std::string rank_text(std::uint32_t rank) {
  return "rank " + number(rank);
}

std::string behind(const char* before, const std::string& text) {
  return text.empty() ? "" : before + text;
}

std::string text_of(const protocol::Hello& hello) {
  return "Hello: adarun-agent " + hello.version + " on " + hello.hostname + ", pid " + number(hello.pid) +
         behind("; ", hello.note);
}

std::string text_of(const protocol::Ready& ready) {
  return std::string("Ready: PMIx ") + (ready.mpi ? "yes" : "no") + behind(", as ", ready.mpi_reason) +
         "; PMI " + (ready.pmi ? "yes" : "no") + behind("; warning: ", ready.warning);
}

std::string text_of(const protocol::Start& start) {
  return "Start: " + number(start.ranks.size()) + " ranks, lease " +
         base::describe(std::chrono::milliseconds(start.lease_ms)) + (start.resumable ? ", resumable" : "") +
         (start.stays ? ", stays" : "");
}

std::string text_of(const protocol::Started& started) {
  return "Started: " + rank_text(started.rank) + ", pid " + number(started.pid) +
         behind(", CPUs ", started.cpus);
}

std::string text_of(const protocol::Exited& exited) {
  std::string text = "Exited: " + rank_text(exited.rank);
  text += exited.signal != 0 ? ", signal " + std::to_string(exited.signal)
                             : ", code " + std::to_string(exited.code);
  if (exited.core_dumped) text += ", core dumped" + behind(": ", exited.core);
  if (exited.stopped_by_us) text += ", stopped by us";
  if (exited.mpi_connected) text += exited.mpi_finalized ? ", left MPI" : ", has not left MPI";
  if (exited.out_of_memory == protocol::OutOfMemory::likely) text += ", memory was short";
  if (exited.out_of_memory == protocol::OutOfMemory::yes) text += ", out of memory";
  return text;
}

std::string text_of(const protocol::Failed& failed) {
  return "Failed: " + failed.message;
}

std::string text_of(const protocol::Abort& abort) {
  return (abort.call == protocol::EndingCall::spawn ? "Abort by MPI_Comm_spawn: " : "Abort: ") +
         rank_text(abort.rank) + ", status " + std::to_string(abort.status) + behind(": ", abort.message);
}

std::string text_of(const protocol::Joined& joined) {
  return "Joined: " + rank_text(joined.rank);
}

std::string text_of(const protocol::StaysOn& stays_on) {
  return "StaysOn: " + rank_text(stays_on.rank);
}

std::string text_of(const protocol::ListensAt& listens) {
  return "ListensAt: " + rank_text(listens.rank) + " at " + listens.endpoint;
}

std::string text_of(const protocol::StartAgain& again) {
  return "StartAgain: " + rank_text(again.rank) + ", time " + number(again.restarts);
}

std::string text_of(const protocol::LostPeer& lost) {
  return "LostPeer: " + rank_text(lost.rank) + ", generation " + number(lost.generation);
}

std::string text_of(const protocol::Finalized& finalized) {
  return "Finalized: " + rank_text(finalized.rank);
}

std::string text_of(const protocol::Members& members) {
  return "Members: generation " + number(members.generation) + ", " + number(members.ranks.size()) + " ranks";
}

std::string text_of(const protocol::FenceDone& done) {
  return std::string("FenceDone: ") + (done.service == protocol::Service::pmi ? "PMI, " : "PMIx, ") +
         (done.participants.empty() ? "all" : number(done.participants.size())) + " ranks, " +
         base::describe_bytes(done.data.size());
}

std::string text_of(const protocol::NameRequest& request) {
  const char* action = request.action == protocol::NameAction::publish   ? "publishes "
                       : request.action == protocol::NameAction::look_up ? "looks up "
                                                                         : "withdraws ";
  return "NameRequest: " + rank_text(request.rank) + " " + action + number(request.names.size()) + " names";
}

std::string text_of(const protocol::LeftRunning& left) {
  return "LeftRunning: " + number(left.count) + " processes" + (left.ending ? ", which end" : "");
}

std::string text_of(const protocol::Query& query) {
  const std::string& what = query.argv.empty() ? query.path : query.argv.front();
  return "Query " + number(query.id) + behind(": ", what);
}

std::string text_of(const protocol::Answer& answer) {
  return "Answer " + number(answer.id) +
         (answer.outcome == protocol::Outcome::answered ? ": " + base::describe_bytes(answer.out.size())
                                                        : ": none" + behind(": ", answer.reason));
}

std::string text_of(const protocol::Halted& halted) {
  return "Halted: " + rank_text(halted.rank) +
         (halted.signal == 0 ? ", continues" : ", signal " + std::to_string(halted.signal));
}

std::string text_of(const protocol::Signal& signal) {
  return "Signal: " + std::to_string(signal.number);
}

std::string text_of(const protocol::Suspend& suspend) {
  return suspend.on ? "Suspend" : "Suspend: continue";
}

std::string text_of(const protocol::Stop& stop) {
  return stop.now ? "Stop: at once" : "Stop";
}

std::string text_of(const protocol::Stage& stage) {
  return "Stage: " + number(stage.items.size()) + " items";
}

std::string text_of(const protocol::Staged& /*staged*/) {
  return "Staged";
}

std::string text_of(const protocol::Done& /*done*/) {
  return "Done";
}

std::string text_of(const protocol::Ended& /*ended*/) {
  return "Ended";
}

std::string text_of(const protocol::UndeliveredRequest& recall) {
  return "UndeliveredRequest: job " + recall.job_id;
}

std::string text_of(const protocol::UndeliveredReply& recalled) {
  return recalled.found ? "UndeliveredReply" : "UndeliveredReply: nothing was kept";
}

std::string text_of(const protocol::Find& find) {
  return "Find: " + number(find.patterns.size()) + " patterns";
}

std::string text_of(const protocol::FileListing& found) {
  return "FileListing: " + number(found.files.size()) + " files" + behind("; ", found.refusal);
}

std::string text_of(const protocol::Fetched& fetched) {
  return "Fetched " + number(fetched.id) + ": " + base::describe_bytes(fetched.size_bytes) +
         behind("; ", fetched.reason);
}

// All others, such as output, parts of files, pings, and requests between MPI servers.
template <typename Message>
std::string text_of(const Message& /*message*/) {
  return "";
}

// A message as a line for a log: its name and main fields, without output, environment or content of files.
// Empty for messages that are too frequent to log.
std::string message_text(const protocol::Message& message) {
  return std::visit([](const auto& each) { return text_of(each); }, message);
}

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
