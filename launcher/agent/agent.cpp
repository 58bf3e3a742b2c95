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
#include <cstdlib>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "base/system_text.h"
#include "base/version.h"
#include "base/wall_clock.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/base/tcp_record.h"
#include "launcher/agent/connection/reconnection.h"
#include "launcher/agent/exec_again.h"
#include "launcher/agent/ranks/descendants.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/start.h"

namespace adarun::launcher::agent {
namespace {

// That a user may set; before Start the launcher's is not known here.
constexpr std::chrono::milliseconds shortest_lease{1'000};
// In place of the number of a Ping, of which the first has 1.
constexpr std::uint64_t unasked = 0;
// How long one turn of the loop may start ranks: in between, the launcher and the watchdog hear of us.
constexpr std::chrono::milliseconds longest_start{100};

protocol::Hello hello(const std::string& note) {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return {base::version(), name.data(), static_cast<std::uint32_t>(::getpid()), base::now_ns(), note};
}

// Where the launcher may start the same ranks elsewhere when its lease is over, ours ends before that.
std::chrono::milliseconds own_lease(const protocol::Start& start) {
  const std::chrono::milliseconds lease{start.lease_ms};
  return start.stays ? lease - agent_lead(lease) : lease;
}

// Slurm sends TERM where a job has reached its time limit, and on scancel.
std::string cause_by_slurm(const Environment& environment) {
  constexpr std::int64_t slack_s = 5;  // Of the node's clock and the controller's.
  const std::string* job = environment.find("SLURM_JOB_ID");
  if (job == nullptr) return "";
  const std::string* end = environment.find("SLURM_JOB_END_TIME");
  const std::int64_t end_s = end == nullptr ? 0 : std::strtoll(end->c_str(), nullptr, 10);
  if (end_s <= 0) return ", as at the time limit of Slurm job " + *job + " or by scancel";
  const bool is_over = base::now_ns() / 1'000'000'000 + slack_s >= end_s;
  return is_over ? ": the time limit of Slurm job " + *job + " is over"
                 : ", as by scancel of Slurm job " + *job;
}

}  // namespace

Agent::Agent(Channel channel, const Environment& environment, HeartbeatPipe heartbeat_pipe,
             const std::string& note)
    : environment_(environment),
      note_(note),
      heartbeat_(std::move(heartbeat_pipe)),
      channel_(std::move(channel)),
      follows_attempt_(channel_.position() > 0),
      reconnection_(channel_, diagnostics_, [this] { heartbeat_.cut(); }),
      requests_(
          environment, channel_, termination_,
          [this](protocol::StartFailure failure, const std::string& message) { fail(failure, message); }),
      resources_(environment, heartbeat_, diagnostics_),
      ranks_(channel_, diagnostics_,
             [this](protocol::StartFailure failure, const std::string& message) { fail(failure, message); }) {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw Error("child subreaper: " + base::system_text(errno));
  channel_.send(hello(note));
}

int Agent::run() {
  while (phase_ != Phase::gone && phase_ != Phase::again) turn();
  if (position_)
    exec_again(
        {channel_.in(), channel_.out(), channel_.bringer(), heartbeat_.fd(), note_, std::move(*position_)},
        environment_);
  return status_;
}

void Agent::turn() {
  beat(now_);
  channel_.flush();
  if (!channel_.connected()) heartbeat_.cut();
  Poll poll;
  watch(poll);
  polled_at_ = Clock::now();
  excuse(poll.wait());
  now_ = Clock::now();
  check_lease();
  if (const auto due = channel_.rest_due(); due && now_ >= *due && !channel_.abandoned())
    hang_up("the launcher no longer reads");
  pong();
  if (requests_.answer(now_)) has_children_ = true;
  requests_.tick(now_);
  start_ranks();
  settle();
  end_processes();
  finish();
  leave();
}

void Agent::beat(Clock::time_point now) {
  const std::chrono::milliseconds lease = lease_.length();
  heartbeat_.beat(now, lease, may_be_replaced_ ? lease : busy_limit(lease));
}

void Agent::watch(Poll& poll) {
  poll.until(heartbeat_.next());
  if (may_start_ranks()) poll.until(now_);
  poll.watch(signals_.fd(), POLLIN, [this] { take_signals(); });
  if (!channel_.abandoned()) {
    poll.watch(channel_.in(), POLLIN, [this] { receive(); });
    poll.until(lease_end());
    poll.until(word_due());
    poll.until(channel_.rest_due());
    reconnection_.watch(poll);
  }
  if (channel_.has_unsent()) poll.watch(channel_.out(), POLLOUT, [this] { channel_.flush(); });
  ranks_.watch(poll, now_);
  // After the reports, so that Started is sent before the MPI messages of the rank.
  resources_.mpi().watch(poll);
  requests_.watch(poll, now_);
  poll.until(termination_.next());
  if (done_delivery_) done_delivery_->watch(poll);
}

void Agent::receive() {
  if (channel_.abandoned()) return;
  try {
    if (!channel_.receive(Clock::now())) return hang_up("the launcher has closed its stream");
    while (const auto message = channel_.next()) handle(*message);
  } catch (const protocol::Error& error) {
    fail(protocol::StartFailure::could_not_start,
         std::string("what the launcher sent is not understood: ") + error.what());
    lose(error.what());
  }
}

// The launcher may reconnect until the lease expires.
void Agent::hang_up(const std::string& why) {
  channel_.cut();
  if (!channel_.resumable()) return lose(why);
  diagnostics_.debug("connection ended: " + why);
}

void Agent::handle(const protocol::Message& message) {
  if (requests_.take(message) || resources_.mpi().take(message)) return;
  std::visit(base::Overloaded{
                 [this](const protocol::JobSpec& spec) { job_spec_ = spec; },
                 [this](const protocol::Start& order) { start(order); },
                 [this](const protocol::StartAgain& order) { start_again(order); },
                 [this](const protocol::Ping& ping) { ping_ = ping.sequence; },
                 [this](const protocol::Signal& signal) { ranks_.signal(signal.number); },
                 [this](const protocol::Input& input) {
                   if (!awaits_next_attempt()) ranks_.feed(input);
                 },
                 [this](const protocol::Suspend& order) { suspend(order); },
                 [this](const protocol::Stop& stop) {
                   if (stop.now || !awaits_next_attempt())
                     end(stop.now ? TerminationMode::at_once : TerminationMode::graceful);
                 },
                 [](const auto&) { throw protocol::Error("a message that is not for an agent"); },
             },
             message);
}

// What comes then may have been sent to the attempt before, which had ended when it came.
bool Agent::awaits_next_attempt() const {
  return follows_attempt_ && phase_ == Phase::idle;
}

void Agent::start(const protocol::Start& order) {
  if (phase_ != Phase::idle) throw protocol::Error("a second Start");
  protocol::Start start = protocol::complete(order, std::exchange(job_spec_, {}));
  if (::access("/dev/shm", F_OK) != 0)
    start.shm_folder.clear();  // MPI's libraries choose another folder then.
  phase_ = Phase::running;
  stays_ = may_be_replaced_ = start.stays;
  if (start.restarts_ranks) restartable_ = start.ranks;
  requests_.close();
  lease_.set(own_lease(start));
  beat(Clock::now());  // Set-up may take long.
  raise_priority(::getppid());
  termination_.grant(std::chrono::milliseconds{start.grace_ms});
  if (termination_.begun()) return;
  try {
    channel_.send(resources_.set_up(start));
    if (start.resumable) reconnection_.offer(start, lease_.length());
    to_start_.assign(start.ranks.begin(), start.ranks.end());
    starting_since_ = Clock::now();
  } catch (const Error& error) {
    fail(error.failure(), error.what());
  }
}

// On a busy node a fork takes long: only some in each turn.
void Agent::start_ranks() {
  if (!may_start_ranks()) return;
  const Clock::time_point end = Clock::now() + longest_start;
  try {
    while (!to_start_.empty() && Clock::now() < end) {
      ranks_.add(resources_.start_rank(to_start_.front(), to_start_.front().restarts));
      to_start_.pop_front();
      has_children_ = true;
    }
  } catch (const Error& error) {
    return fail(error.failure(), error.what());
  }
  if (!to_start_.empty()) return;
  // Linux divides CPU time between sessions: the ranks keep theirs, with the watchdog, and we get our own
  // share. Ranks of a further attempt, and those that are started again, are in ours.
  ::setsid();
  diagnostics_.debug(std::to_string(ranks_.count()) + " processes forked in " +
                     milliseconds_since(starting_since_));
}

bool Agent::may_start_ranks() const {
  return !to_start_.empty() && !lease_.suspended();
}

bool Agent::ranks_over() const {
  return to_start_.empty() && ranks_.over();
}

// Not once processes are being ended: the launcher has not heard of it yet. If the rank cannot be started, it
// alone has ended again.
void Agent::start_again(const protocol::StartAgain& order) {
  if (phase_ != Phase::running || termination_.begun()) return;
  const auto spec = std::ranges::find(restartable_, order.rank, &protocol::RankSpec::rank);
  if (spec == restartable_.end() || order.restarts == 0)
    throw protocol::Error("a rank is to be started again that is none of this node");
  const std::optional<pid_t> old = ranks_.ended(order.rank);
  if (!old) throw protocol::Error("a rank is to be started again that has not ended");
  signal_group(SIGKILL, *old);  // What it has left running.
  resources_.kill_rank(order.rank);
  try {
    ranks_.replace(resources_.start_rank(*spec, order.restarts));
    has_children_ = true;
  } catch (const Error& error) {
    constexpr int cannot_run = 126;
    diagnostics_.debug(error.what());
    protocol::Exited exited;
    exited.rank = order.rank;
    exited.code = cannot_run;
    exited.time_ns = base::now_ns();
    channel_.send(exited);
  }
}

void Agent::suspend(const protocol::Suspend& order) {
  if (phase_ == Phase::leaving) return;  // Sent before the launcher received Done.
  order.on ? lease_.suspend() : lease_.resume();
  // Processes being ended need their grace period to clean up: do not stop them.
  if (!order.on || !termination_.begun()) signal_tree(order.on ? SIGSTOP : SIGCONT, ranks_.groups());
  channel_.send(order);
}

std::optional<Clock::time_point> Agent::lease_end() const {
  return lease_.end(channel_.heard(), channel_.connected() ? std::nullopt : std::optional(channel_.cut_at()));
}

// What the launcher has sent may be late as well where a whole node was without processor time, or stopped.
// Others may start our ranks elsewhere only after second_look.
void Agent::excuse(Clock::duration late) {
  lease_.excuse(channel_.heard(), late, may_be_replaced_ ? second_look : std::chrono::hours(1));
}

// Whether a longer silence of the launcher is to be waited for: its machine acknowledges what it is sent, so
// that the launcher, or sshd, may only lack processor time. Where the same ranks may be started elsewhere,
// they end with the lease all the same.
bool Agent::waits_for_busy_launcher() const {
  const std::string* ssh = environment_.find("SSH_CONNECTION");
  return ssh != nullptr && !may_be_replaced_ && !termination_.begun() && channel_.connected() &&
         ssh_is_acknowledged(*ssh);
}

// As of the last poll: what had arrived by then is read.
void Agent::check_lease() {
  const auto expiry = lease_end();
  if (channel_.abandoned() || !expiry || polled_at_ < *expiry) return;
  const bool busy = waits_for_busy_launcher();
  if (busy && polled_at_ < lease_.busy_end(channel_.heard()))
    return lease_.bear(channel_.heard(), polled_at_ - *expiry + ping_interval(lease_.length()));
  const std::string why = (busy ? "nothing heard from adarun for six leases of "
                                : "nothing heard from adarun for its lease of ") +
                          std::to_string(lease_.length().count()) + " ms";
  const std::string cause = busy ? "was adarun stopped?" : "was adarun stopped, or the network cut?";
  fail(protocol::StartFailure::could_not_start, why + ", so that what ran here is ended (" + cause + ")");
  if (may_be_replaced_) end(TerminationMode::at_once);
  lose(why);
}

// While a long message arrives, there is no Ping to answer, and the launcher is to see that we take it in.
std::optional<Clock::time_point> Agent::word_due() const {
  if (phase_ == Phase::leaving || channel_.abandoned() || channel_.full(now_)) return std::nullopt;
  const std::chrono::milliseconds lease = phase_ == Phase::idle ? shortest_lease : lease_.length();
  return channel_.word_due(ping_interval(lease), lease / 4);
}

void Agent::pong() {
  if (ping_ && !channel_.full(now_)) {
    channel_.send(protocol::Pong{*ping_, base::now_ns()});
    channel_.acknowledge();
    ping_.reset();
  } else if (const auto due = word_due(); due && now_ >= *due) {
    channel_.send(protocol::Pong{unasked, base::now_ns()});
  }
}

void Agent::take_signals() {
  while (const auto number = signals_.next()) {
    if (*number == SIGCHLD) continue;
    lease_.limit(told_timeout);
    stays_ = false;
    if (failed_) end(TerminationMode::at_once);
    fail(protocol::StartFailure::could_not_start,
         std::string("the agent was told to end: ") + ::strsignal(*number) +
             (*number == SIGTERM ? cause_by_slurm(environment_) : ""));
  }
  reap();
}

void Agent::reap() {
  ranks_.read_reports();
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0)
    if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
      if (!lease_.suspended()) ranks_.halted(pid, WIFSTOPPED(status) ? WSTOPSIG(status) : 0);
    } else if (!requests_.reaped(pid, status, Clock::now()))
      ranks_.reaped(pid, status, termination_.begun(), Clock::now());
  has_children_ = pid == 0;
}

// What the ranks of a node left running runs on until the job ends, for ranks of other nodes: the launcher is
// told of it, and sends Stop then.
void Agent::settle() {
  ranks_.settle(resources_.mpi(), now_);
  if (phase_ == Phase::running && restartable_.empty() && ranks_over() && has_children_ &&
      !termination_.begun() && !std::exchange(told_left_, true))
    channel_.send(protocol::LeftRunning{});
}

// KILL is sent repeatedly but logged once.
void Agent::end_processes() {
  if (!termination_.tick(now_, ranks_.groups())) return;
  if (!std::exchange(has_killed_, true)) diagnostics_.debug("KILL to every process");
  resources_.kill();
}

void Agent::finish() {
  if (phase_ == Phase::leaving) return;
  const bool runs_no_more = phase_ == Phase::running && restartable_.empty();
  if (ranks_over() && !has_children_ && (runs_no_more || termination_.begun())) {
    termination_.finish();
    requests_.close();
    resources_.release(channel_.resumable() ? ReconnectSocket::socket_name : "");
    diagnostics_.stop();
    const auto last = stays_ ? protocol::Message(protocol::Ended{}) : protocol::Message(protocol::Done{});
    done_delivery_.emplace(channel_, last, now_);
    phase_ = Phase::leaving;
  } else if (termination_.gave_up(now_)) {
    std::fprintf(stderr, "adarun-agent: processes are left that SIGKILL does not end\n");
    resources_.remove_folders();
    status_ = 1;
    phase_ = Phase::gone;
  }
}

void Agent::leave() {
  if (phase_ != Phase::leaving) return;
  const DoneDelivery::State state = done_delivery_->state(now_);
  if (state == DoneDelivery::State::waiting) return;
  if (state == DoneDelivery::State::delivered)
    reconnection_.remove_spool_file();
  else
    reconnection_.keep_undelivered();
  if (stays_) {
    position_ = channel_.hand_over();
    if (!position_ && channel_.connected()) return;  // Something is still to be sent.
    resources_.remove_folders();
  }
  phase_ = position_ ? Phase::again : Phase::gone;
}

void Agent::end(TerminationMode pace) {
  reap();  // Processes that ended before this were not stopped by us.
  to_start_.clear();
  if (!termination_.begun()) ranks_.note_those_ending();
  if (!termination_.begun() && phase_ == Phase::running) name_ending(pace);
  termination_.begin(pace, Clock::now());
  lease_.ignore_suspension();
}

void Agent::name_ending(TerminationMode pace) {
  const std::size_t running = ranks_.groups().size();
  diagnostics_.debug("ending " +
                     (running == 0 ? "what ranks have left running" : std::to_string(running) + " ranks") +
                     (pace == TerminationMode::at_once ? " at once" : ""));
  if (!has_children_ || channel_.abandoned()) return;
  protocol::LeftRunning left = ranks_.left();
  left.ending = true;
  if (left.count > 0) channel_.send(left);
}

void Agent::fail(protocol::StartFailure failure, const std::string& message) {
  status_ = 1;
  if (!failed_ && phase_ != Phase::leaving) channel_.send(protocol::Failed{failure, message});
  failed_ = true;
  end(TerminationMode::graceful);
}

void Agent::lose(const std::string& why) {
  channel_.abandon();
  stays_ = false;
  status_ = 1;
  if (phase_ != Phase::idle)
    std::fprintf(stderr, "adarun-agent: %s: ending %zu ranks\n", why.c_str(), ranks_.groups().size());
  end(TerminationMode::graceful);
}

}  // namespace adarun::launcher::agent
