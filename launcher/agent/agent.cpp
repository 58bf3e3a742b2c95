// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/agent.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "base/wall_clock.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/connection/spool_place.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher::agent {
namespace {

constexpr std::array streams{protocol::Stream::out, protocol::Stream::err};

// More than a pipe or a terminal can hold: at 4 KiB a turn for a terminal, 64 KiB for a pipe.
constexpr int last_turns = 64;

protocol::Hello hello(const std::string& note) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return {ADARUN_VERSION, name.data(), static_cast<std::uint32_t>(::getpid()), base::now_ns(), note};
}

}  // namespace

Agent::Agent(Connection connection, Environment environment, HeartbeatPipe heartbeat_pipe,
             const std::string& note)
    : channel_(std::move(connection)),
      environment_(std::move(environment)),
      query_runner_(environment_),
      heartbeat_(std::move(heartbeat_pipe)) {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw Error("child subreaper: " + base::system_text(errno));
  channel_.send(hello(note));
}

int Agent::run() {
  while (stage_ != Stage::gone) turn();
  return status_;
}

void Agent::turn() {
  heartbeat_.beat(now_, lease_);
  channel_.flush();
  if (!channel_.connected()) heartbeat_.cut();
  if (!channel_.connected() && !rendezvous_ && !lost_) lose("the launcher no longer reads");
  Poll poll;
  watch(poll);
  poll.wait();
  now_ = Clock::now();
  check_lease();
  if (ping_ && !channel_.full(now_)) {
    channel_.send(protocol::Pong{*ping_, base::now_ns()});
    channel_.acknowledge();
    ping_.reset();
  }
  inquire();
  stage([this] { stage_receiver_.tick(); });
  go_on_recalling();
  go_on_fetching();
  settle_all();
  end_processes();
  leave();
}

void Agent::watch(Poll& poll) {
  poll.until(heartbeat_.next());
  poll.watch(signals_.fd(), POLLIN, [this] { take_signals(); });
  if (!lost_) {
    poll.watch(channel_.in(), POLLIN, [this] { receive(); });
    poll.until(lease_end());
    if (rendezvous_) {
      poll.watch(rendezvous_->fd(), POLLIN, [this] { meet(); });
      poll.watch(rendezvous_->bringer_fd(), POLLIN, [this] { meet(); });
    }
  }
  if (channel_.has_unsent()) poll.watch(channel_.out(), POLLOUT, [this] { channel_.flush(); });
  const bool holds_ranks_up = channel_.full(now_) && !lost_;
  note_holding(holds_ranks_up);
  if (holds_ranks_up && now_ < channel_.cut_off_at()) poll.until(channel_.cut_off_at());
  for (RankProcess& rank : ranks_) {
    poll.watch(rank.report_fd(), POLLIN, [this, &rank] { read_report(rank); });
    poll.until(rank.output_due());
    if (holds_ranks_up) continue;
    for (const protocol::Stream stream : streams)
      poll.watch(rank.output_fd(stream), POLLIN, [&rank, stream] { rank.read_output(stream, Clock::now()); });
    poll.until(rank.output_deadline());
  }
  // Behind the reports: that a rank has started comes before what it says to MPI.
  mpi_.watch(poll);
  if (!termination_.begun()) query_runner_.watch(poll);
  if (stage_receiver_.looking() && !termination_.begun()) poll.until(now_);
  if (file_sender_.working() && !termination_.begun() && !channel_.full(now_)) poll.until(now_);
  poll.until(termination_.next());
  if (stage_ == Stage::leaving && lost_) poll.until(leaving_since_ + farewell_timeout);
  if (stage_ == Stage::leaving && !channel_.connected()) poll.until(channel_.cut_at() + return_timeout);
}

// Such stops are common and short: those are not worth a word.
void Agent::note_holding(bool holds_ranks_up) {
  constexpr std::chrono::seconds worth_telling{1};
  if (holds_ranks_up && !holding_since_) holding_since_ = now_;
  if (holds_ranks_up || !holding_since_) return;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now_ - *holding_since_);
  holding_since_.reset();
  if (time >= worth_telling)
    diagnostics_.debug("ranks were held up for " + std::to_string(time.count()) +
                       " ms: their output was not taken");
}

void Agent::take_signals() {
  while (const auto number = signals_.next()) {
    if (*number == SIGCHLD) continue;
    lease_ = std::min<std::chrono::milliseconds>(lease_, told_timeout);
    if (failed_) end(TerminationMode::at_once);
    fail(protocol::StartFailure::could_not_start,
         std::string("the agent was told to end: ") + ::strsignal(*number));
  }
  reap();
}

void Agent::receive() {
  if (lost_) return;
  try {
    if (!channel_.receive(Clock::now())) return hang_up("the launcher has closed its stream");
    while (const auto message = channel_.next()) handle(*message);
  } catch (const protocol::Error& error) {
    fail(protocol::StartFailure::could_not_start,
         std::string("what the launcher sent is not understood: ") + error.what());
    lose(error.what());
  }
}

void Agent::relay_mpi() {
  for (const protocol::Message& message : mpi_.collect()) channel_.send(message);
}

void Agent::read_report(RankProcess& rank) {
  const auto message = rank.read_report();
  if (!message) return;
  if (const auto* failed = std::get_if<protocol::Failed>(&*message))
    fail(failed->failure, failed->message);
  else
    channel_.send(*message);
}

void Agent::send_output(RankProcess& rank) {
  while (auto output = rank.take_output(now_))
    if (!(lost_ && channel_.full(now_))) channel_.send(std::move(*output));
}

// What is asked when the end has begun is left unanswered: its process is ended with the others.
void Agent::inquire() {
  if (termination_.begun()) return;
  query_runner_.tick(now_);
  for (protocol::Answer& answer : query_runner_.collect()) channel_.send(std::move(answer));
  has_children_ = has_children_ || query_runner_.running();
}

void Agent::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (query_runner_.reaped(pid, status, Clock::now())) continue;
    const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [pid](const RankProcess& each) {
      return each.alive() && each.pid() == pid;
    });
    if (rank != ranks_.end()) rank->reaped(status, termination_.begun(), Clock::now());
  }
  has_children_ = pid == 0;
}

void Agent::settle_all() {
  for (const RankProcess& rank : ranks_)
    if (!rank.alive() && !rank.over()) mpi_.hear_out(rank.number());
  relay_mpi();  // A rank that has ended was connected before.
  for (RankProcess& rank : ranks_) settle(rank);
  const bool all_over =
      std::all_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.over(); });
  if (stage_ == Stage::working && all_over && has_children_ && !termination_.begun())
    end(TerminationMode::graceful);
}

void Agent::settle(RankProcess& rank) {
  const auto deadline = rank.output_deadline();
  if (deadline && *deadline <= now_ && (lost_ || !channel_.full(now_))) {
    for (const protocol::Stream stream : streams)
      for (int turns = 0; turns < last_turns && rank.read_output(stream, now_);) ++turns;
    rank.close_output();
  }
  send_output(rank);
  if (auto exited = rank.finish()) {
    mpi_.add_outcome(*exited);
    channel_.send(*exited);
  }
}

// A launcher that stands still says nothing; one that has died meanwhile leaves no connection.
std::optional<Clock::time_point> Agent::lease_end() const {
  if (!suspended_ || termination_.begun()) return channel_.heard() + lease_;
  if (channel_.connected()) return std::nullopt;
  return std::max(channel_.heard(), channel_.cut_at()) + lease_;
}

void Agent::check_lease() {
  const auto end = lease_end();
  if (lost_ || !end || now_ < *end) return;
  const std::string why =
      "nothing heard from adarun for its lease of " + std::to_string(lease_.count()) + " ms";
  fail(protocol::StartFailure::could_not_start,
       why + ", so that what ran here is ended (was adarun stopped, or the network cut?)");
  lose(why);
}

void Agent::leave() {
  const bool all_over =
      std::all_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.over(); });
  const bool finished = all_over && !has_children_ && (stage_ == Stage::working || termination_.begun());
  if (finished && stage_ != Stage::leaving) {
    mpi_.clear();
    resources_.reset();
    remove_folders();
    diagnostics_.stop();
    channel_.send(protocol::Done{});
    done_position_ = channel_.position();
    channel_.flush();
    stage_ = Stage::leaving;
    leaving_since_ = now_;
  }
  if (termination_.gave_up(now_) && stage_ != Stage::leaving) {
    std::fprintf(stderr, "adarun-agent: processes are left that SIGKILL does not end\n");
    folders_.clear();
    status_ = 1;
    stage_ = Stage::gone;
  }
  if (stage_ != Stage::leaving) return;
  const bool late = lost_ && now_ >= leaving_since_ + farewell_timeout;
  const bool over = rendezvous_ ? channel_.delivered(done_position_)
                                : !channel_.connected() || channel_.sent(done_position_);
  // A launcher that has had everything, and hung up, may not have said so any more.
  const bool left = rendezvous_ && !channel_.connected() && channel_.sent(done_position_) &&
                    now_ >= channel_.cut_at() + return_timeout;
  if (!late && !over && !left) return;
  if (late && rendezvous_) keep_undelivered();
  if (!late && rendezvous_) remove_spool(spool_);
  stage_ = Stage::gone;
}

// KILL comes again and again: once is told.
void Agent::end_processes() {
  if (!termination_.tick(now_, groups())) return;
  if (!std::exchange(kills_, true)) diagnostics_.debug("KILL to every process");
  if (resources_) resources_->kill();
}

void Agent::end(TerminationMode pace) {
  reap();  // Whoever has ended so far was not stopped by us.
  if (!termination_.begun() && stage_ == Stage::working)
    diagnostics_.debug(
        "ending " +
        (groups().empty() ? "what ranks have left running" : std::to_string(groups().size()) + " ranks") +
        (pace == TerminationMode::at_once ? " at once" : ""));
  termination_.begin(pace, Clock::now());
}

void Agent::fail(protocol::StartFailure failure, const std::string& message) {
  status_ = 1;
  if (!failed_ && stage_ != Stage::leaving) channel_.send(protocol::Failed{failure, message});
  failed_ = true;
  end(TerminationMode::graceful);
}

void Agent::lose(const std::string& why) {
  lost_ = true;
  status_ = 1;
  std::fprintf(stderr, "adarun-agent: %s: ending %zu ranks\n", why.c_str(), groups().size());
  end(TerminationMode::graceful);
}

std::vector<pid_t> Agent::groups() const {
  std::vector<pid_t> result;
  for (const RankProcess& rank : ranks_)
    if (rank.alive()) result.push_back(rank.pid());
  return result;
}

}  // namespace adarun::launcher::agent
