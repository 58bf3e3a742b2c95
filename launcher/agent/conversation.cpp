// SPDX-License-Identifier: Apache-2.0
// What the agent does about each message.
#include <signal.h>
#include <unistd.h>

#include "launcher/agent/agent.h"
#include "launcher/agent/descendants.h"
#include "launcher/agent/error.h"
#include "launcher/agent/guardian.h"
#include "launcher/wire/complete.h"
#include "launcher/wire/error.h"

namespace adarun::agent {
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

void Agent::handle(const wire::Message& message) {
  std::visit(Overloaded{
                 [this](const wire::Common& common) { common_ = common; },
                 [this](const wire::Start& order) { start(order); },
                 [this](const wire::Ping& ping) { ping_ = ping.sequence; },
                 [this](const wire::Signal& signal) { forward(signal.number); },
                 [this](const wire::Suspend& order) { suspend(order); },
                 [this](const wire::Query& query) { inquiries_.take(query, Clock::now()); },
                 [this](const wire::Stage& order) { stage([&] { staging_.take(order); }); },
                 [this](const wire::StagePart& part) { stage([&] { staging_.take(part); }); },
                 [this](const wire::StageEnd& end) { stage([&] { staging_.take(end); }); },
                 [this](const wire::Stop& stop) { end(stop.now ? Pace::at_once : Pace::graceful); },
                 [this](const wire::Recall& order) { recall(order); },
                 [this](const wire::Find& find) { fetch([&] { fetching_.take(find); }); },
                 [this](const wire::Fetch& order) { fetch([&] { fetching_.take(order); }); },
                 [this](const wire::Forget&) {
                   if (recalling_) recalling_->forget();
                 },
                 [this](const wire::FenceDone& done) { finish_fence(done); },
                 [this](const wire::ModexRequest& request) {
                   if (pmix_) pmix_->answer_request(request);
                 },
                 [this](const wire::ModexReply& reply) {
                   if (pmix_) pmix_->take_reply(reply);
                 },
                 [](const auto&) { throw wire::Error("a message that is not for an agent"); },
             },
             message);
}

// What comes when the end has begun was on its way before that was known.
void Agent::stage(const std::function<void()>& step) {
  if (ending_.begun() || stage_ != Stage::connected) return;
  try {
    step();
  } catch (const Error& error) {
    fail(error.failure(), error.what());
  }
  for (const wire::Message& message : staging_.collect()) channel_.send(message);
}

void Agent::start(const wire::Start& order) {
  if (stage_ != Stage::connected) throw wire::Error("a second Start");
  take_file_limit_of(::getppid());
  const wire::Start start = wire::complete(order, std::exchange(common_, {}));
  stage_ = Stage::working;
  lease_ = std::chrono::milliseconds{start.lease_ms};
  ending_.grant(std::chrono::milliseconds{start.grace_ms});
  if (ending_.begun()) return;
  try {
    set_up(start);
    if (start.resumable) open_rendezvous(start);
    const Clock::time_point begin = Clock::now();
    for (const wire::RankPart& part : start.ranks) start_rank(part);
    diagnostics_.debug(std::to_string(start.ranks.size()) + " processes forked in " + since(begin));
  } catch (const Error& error) {
    fail(error.failure(), error.what());
  }
}

void Agent::set_up(const wire::Start& start) {
  for (const wire::RankPart& part : start.ranks)
    if (part.argv.empty()) throw Error("rank " + std::to_string(part.rank) + ": no program given");
  const Clock::time_point begin = Clock::now();
  Folder& scratch = make_folder(start.scratch);
  if (!start.shm_folder.empty()) make_folder(start.shm_folder);
  for (const wire::StagedFile& file : start.files) scratch.write(file.name, file.content);
  care_.emplace(start, environment_);
  if (const std::string group = care_->group(); !group.empty()) lifeline_.bequeath_group(group);
  diagnostics_.debug(
      "folders and limits set up in " + since(begin) +
      (care_->group().empty() ? ", without a control group" : ", control group " + care_->group()));
  const Clock::time_point servers = Clock::now();
  wire::Ready ready = set_up_mpi(start, scratch);
  diagnostics_.debug("servers for MPI set up in " + since(servers));
  ready.warning = care_->warning();
  channel_.send(ready);
}

Folder& Agent::make_folder(const std::string& path) {
  Folder& folder = folders_.emplace_back(path);
  lifeline_.bequeath(path);
  return folder;
}

wire::Ready Agent::set_up_mpi(const wire::Start& start, Folder& scratch) {
  if (start.mpi == wire::Mpi::off) return {};
  if (start.ranks.empty()) return {false, "no ranks on this node"};
  pmi_.emplace(start);
  try {
    pmix_ = std::make_unique<pmix::Server>(start, scratch.make_inner("pmix"));
    return {true, "", {}, true};
  } catch (const Error& error) {
    if (start.mpi == wire::Mpi::on) throw;
    return {false, error.what(), {}, true};
  }
}

void Agent::finish_fence(const wire::FenceDone& done) {
  if (done.service == wire::Service::pmi) {
    if (pmi_) pmi_->finish_fence(done);
  } else if (pmix_) {
    pmix_->finish_fence(done);
  }
}

void Agent::start_rank(const wire::RankPart& part) {
  Environment environment = environment_;
  if (pmix_)
    for (const std::string& assignment : pmix_->environment(part.rank)) environment.set(assignment);
  const pmi::Server::Admission admission = pmi_ ? pmi_->admit(part.rank) : pmi::Server::Admission{};
  for (const std::string& assignment : admission.environment) environment.set(assignment);
  care_->add_defaults(part, environment);
  for (const std::string& assignment : part.defaults) environment.set_default(assignment);
  for (const std::string& assignment : part.environment) environment.set(assignment);
  const Program program{part.argv, environment.assignments(), part.workdir, environment.path(), care_->out()};
  RankCare::Given given = care_->give(part);
  given.bounds.inherited_fd = admission.socket.get();
  MemoryWatch memory(given.memory_events);
  try {
    ranks_.emplace_back(part.rank, program, spawn(program, given.bounds), std::move(memory),
                        care_->cpus_of(part));
    has_children_ = true;
  } catch (const Error& error) {
    throw Error("rank " + std::to_string(part.rank) + ": " + error.what());
  }
}

void Agent::forward(int number) {
  if (number < 1 || number > SIGRTMAX)
    throw wire::Error("signal " + std::to_string(number) + ": there is none");
  diagnostics_.debug("signal " + std::to_string(number) + " to " + std::to_string(groups().size()) +
                     " ranks");
  for (const pid_t group : groups()) ::kill(-group, number);
}

void Agent::suspend(const wire::Suspend& order) {
  if (stage_ == Stage::leaving) return;  // It was on its way before Done was known.
  suspended_ = order.on;
  // What is being ended has its grace to clean up in.
  if (!order.on || !ending_.begun()) signal_tree(order.on ? SIGSTOP : SIGCONT, groups());
  channel_.send(order);
}

}  // namespace adarun::agent
