// SPDX-License-Identifier: Apache-2.0
// What the agent does about each message.
#include <signal.h>
#include <unistd.h>

#include "launcher/agent/agent.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmi/pmi_server.h"
#include "launcher/agent/mpi/pmix/pmix_server.h"
#include "launcher/agent/ranks/descendants.h"
#include "launcher/agent/watchdog/watchdog.h"
#include "launcher/protocol/complete.h"
#include "launcher/protocol/error.h"

namespace adarun::launcher::agent {
namespace {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

std::string since(Clock::time_point begin) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  return std::to_string(time.count()) + " ms";
}

}  // namespace

void Agent::handle(const protocol::Message& message) {
  std::visit(Overloaded{
                 [this](const protocol::JobSpec& spec) { job_spec_ = spec; },
                 [this](const protocol::Start& order) { start(order); },
                 [this](const protocol::Ping& ping) { ping_ = ping.sequence; },
                 [this](const protocol::Signal& signal) { forward(signal.number); },
                 [this](const protocol::Suspend& order) { suspend(order); },
                 [this](const protocol::Query& query) { query_runner_.take(query, Clock::now()); },
                 [this](const protocol::Stage& order) { stage([&] { stage_receiver_.take(order); }); },
                 [this](const protocol::StagePart& part) { stage([&] { stage_receiver_.take(part); }); },
                 [this](const protocol::StageEnd& end) { stage([&] { stage_receiver_.take(end); }); },
                 [this](const protocol::Stop& stop) {
                   end(stop.now ? TerminationMode::at_once : TerminationMode::graceful);
                 },
                 [this](const protocol::Recall& order) { recall(order); },
                 [this](const protocol::Find& find) { fetch([&] { file_sender_.take(find); }); },
                 [this](const protocol::Fetch& order) { fetch([&] { file_sender_.take(order); }); },
                 [this](const protocol::Forget&) {
                   if (kept_output_) kept_output_->forget();
                 },
                 [this](const protocol::FenceDone& done) { mpi_.finish_fence(done); },
                 [this](const protocol::ModexRequest& request) { mpi_.answer_request(request); },
                 [this](const protocol::ModexReply& reply) { mpi_.take_reply(reply); },
                 [](const auto&) { throw protocol::Error("a message that is not for an agent"); },
             },
             message);
}

// What comes when the end has begun was on its way before that was known.
void Agent::stage(const std::function<void()>& step) {
  if (termination_.begun() || stage_ != Stage::connected) return;
  try {
    step();
  } catch (const Error& error) {
    fail(error.failure(), error.what());
  }
  for (const protocol::Message& message : stage_receiver_.collect()) channel_.send(message);
}

void Agent::start(const protocol::Start& order) {
  if (stage_ != Stage::connected) throw protocol::Error("a second Start");
  take_file_limit_of(::getppid());
  const protocol::Start start = protocol::complete(order, std::exchange(job_spec_, {}));
  stage_ = Stage::working;
  lease_ = std::chrono::milliseconds{start.lease_ms};
  termination_.grant(std::chrono::milliseconds{start.grace_ms});
  if (termination_.begun()) return;
  try {
    set_up(start);
    if (start.resumable) open_rendezvous(start);
    const Clock::time_point begin = Clock::now();
    for (const protocol::RankSpec& part : start.ranks) start_rank(part);
    diagnostics_.debug(std::to_string(start.ranks.size()) + " processes forked in " + since(begin));
  } catch (const Error& error) {
    fail(error.failure(), error.what());
  }
}

void Agent::set_up(const protocol::Start& start) {
  for (const protocol::RankSpec& part : start.ranks)
    if (part.argv.empty()) throw Error("rank " + std::to_string(part.rank) + ": no program given");
  const Clock::time_point begin = Clock::now();
  Folder& scratch = make_folder(start.scratch);
  if (!start.shm_folder.empty()) make_folder(start.shm_folder);
  for (const protocol::ScratchFile& file : start.files) scratch.write(file.name, file.content);
  resources_.emplace(start, environment_);
  if (const std::string group = resources_->group(); !group.empty()) heartbeat_.add_group(group);
  diagnostics_.debug(
      "folders and limits set up in " + since(begin) +
      (resources_->group().empty() ? ", without a control group" : ", control group " + resources_->group()));
  const Clock::time_point servers = Clock::now();
  protocol::Ready ready = set_up_mpi(start, scratch);
  diagnostics_.debug("servers for MPI set up in " + since(servers));
  ready.warning = resources_->warning();
  channel_.send(ready);
}

Folder& Agent::make_folder(const std::string& path) {
  Folder& folder = folders_.emplace_back(path);
  heartbeat_.add_folder(path);
  return folder;
}

protocol::Ready Agent::set_up_mpi(const protocol::Start& start, Folder& scratch) {
  if (start.mpi == protocol::Mpi::off) return {};
  if (start.ranks.empty()) return {false, "no ranks on this node"};
  protocol::Ready ready{true, "", {}, true};
  try {
    mpi_.add(std::make_unique<pmix::PmixServer>(start, scratch.make_inner("pmix")));
  } catch (const Error& error) {
    if (start.mpi == protocol::Mpi::on) throw;
    ready = {false, error.what(), {}, true};
  }
  mpi_.add(std::make_unique<pmi::PmiServer>(start));
  return ready;
}

void Agent::start_rank(const protocol::RankSpec& part) {
  Environment environment = environment_;
  const MpiServer::RankStart rank_start = mpi_.admit(part.rank);
  for (const std::string& assignment : rank_start.environment) environment.set(assignment);
  resources_->add_defaults(part, environment);
  for (const std::string& assignment : part.defaults) environment.set_default(assignment);
  for (const std::string& assignment : part.environment) environment.set(assignment);
  const Program program{part.argv, environment.assignments(), part.workdir, environment.path(),
                        resources_->out()};
  RankResources::Given given = resources_->give(part);
  given.bounds.inherited_fd = rank_start.socket.get();
  MemoryWatch memory(given.memory_events);
  try {
    ranks_.emplace_back(part.rank, program, spawn(program, given.bounds), std::move(memory),
                        resources_->cpus_of(part));
    has_children_ = true;
  } catch (const Error& error) {
    throw Error("rank " + std::to_string(part.rank) + ": " + error.what());
  }
}

void Agent::forward(int number) {
  if (number < 1 || number > SIGRTMAX)
    throw protocol::Error("signal " + std::to_string(number) + ": there is none");
  diagnostics_.debug("signal " + std::to_string(number) + " to " + std::to_string(groups().size()) +
                     " ranks");
  for (const pid_t group : groups()) ::kill(-group, number);
}

void Agent::suspend(const protocol::Suspend& order) {
  if (stage_ == Stage::leaving) return;  // It was on its way before Done was known.
  suspended_ = order.on;
  // What is being ended has its grace to clean up in.
  if (!order.on || !termination_.begun()) signal_tree(order.on ? SIGSTOP : SIGCONT, groups());
  channel_.send(order);
}

void Agent::recall(const protocol::Recall& order) {
  if (stage_ != Stage::connected || kept_output_)
    throw protocol::Error("a Recall where there is a job already");
  if (!order.scratch.empty() && can_be_met(order.scratch))
    return fail(protocol::StartFailure::could_not_start,
                "its agent still runs; try again when the lease of the job is over");
  kept_output_.emplace(order);
}

void Agent::go_on_recalling() {
  while (kept_output_ && !kept_output_->over() && !channel_.full(now_))
    if (const auto message = kept_output_->next()) channel_.send(*message);
}

void Agent::fetch(const std::function<void()>& order) {
  if (stage_ != Stage::connected) throw protocol::Error("a file is asked for while there is a job");
  if (!termination_.begun()) order();
}

void Agent::go_on_fetching() {
  while (file_sender_.working() && !termination_.begun() && !channel_.full(now_)) {
    if (const auto message = file_sender_.next()) {
      channel_.send(*message);
    } else {
      return;
    }
  }
}

}  // namespace adarun::launcher::agent
