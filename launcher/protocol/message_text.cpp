// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/message_text.h"

#include "base/describe.h"

namespace adarun::launcher {
namespace {

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
  return suspend.on ? "Suspend" : "Suspend: go on";
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

std::string text_of(const protocol::Recall& recall) {
  return "Recall: job " + recall.job_id;
}

std::string text_of(const protocol::Recalled& recalled) {
  return recalled.found ? "Recalled" : "Recalled: nothing was kept";
}

std::string text_of(const protocol::Find& find) {
  return "Find: " + number(find.patterns.size()) + " patterns";
}

std::string text_of(const protocol::Found& found) {
  return "Found: " + number(found.files.size()) + " files" + behind("; ", found.refusal);
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

}  // namespace

std::string message_text(const protocol::Message& message) {
  return std::visit([](const auto& each) { return text_of(each); }, message);
}

}  // namespace adarun::launcher
