// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/pmix_server.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <list>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/describe.h"
#include "base/signals.h"
#include "base/wall_clock.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmix/callbacks.h"
#include "launcher/agent/mpi/pmix/job_info.h"
#include "launcher/agent/mpi/pmix/published_values.h"

namespace adarun::launcher::agent::pmix {
namespace {

// How long libpmix may take to set its server up: the agent is blocked meanwhile, and its watchdog takes it
// for hung after the lease.
std::chrono::milliseconds set_up_time(const protocol::Start& start) {
  constexpr std::chrono::milliseconds longest{30'000};
  return std::min(longest, std::chrono::milliseconds{start.lease_ms} / 2);
}

pmix_proc_t process(const std::string& nspace, std::uint32_t rank) {
  pmix_proc_t proc{};
  std::strncpy(proc.nspace, nspace.c_str(), PMIX_MAX_NSLEN);
  proc.rank = rank;
  return proc;
}

// The namespace, which a process must know to be accepted as a rank. It contains a secret: other users can
// see job ids, and libpmix trusts the uid that a client claims.
std::string name_of_job(const protocol::Start& start) {
  constexpr std::size_t secret_digits = 32;
  if (start.mpi_secret.size() < secret_digits) throw Error("MPI: the launcher has sent no secret for PMIx");
  std::string name = "adarun-" + start.job_id + "-" + start.mpi_secret;
  if (name.size() > PMIX_MAX_NSLEN) throw Error("MPI: the job's id is too long for PMIx");
  return name;
}

using Outcome = std::promise<pmix_status_t>;

void fulfil(pmix_status_t status, void* outcome) {
  const std::unique_ptr<std::shared_ptr<Outcome>> own(static_cast<std::shared_ptr<Outcome>*>(outcome));
  (*own)->set_value(status);
}

// Calls `operation(callback, its data)` and waits until libpmix has completed it, on the thread of
// PmixServer::set_up(), which keeps the deadline.
template <typename Operation>
pmix_status_t carry_out(Operation operation) {
  const auto outcome = std::make_shared<Outcome>();
  auto shared = std::make_unique<std::shared_ptr<Outcome>>(outcome);
  const pmix_status_t status = operation(&fulfil, shared.get());
  if (status == PMIX_OPERATION_SUCCEEDED) return PMIX_SUCCESS;
  if (status != PMIX_SUCCESS) return status;
  shared.release();  // NOLINT: `fulfil` owns it
  return outcome->get_future().get();
}

template <typename Work>
std::thread start_thread(Work work) {
  try {
    return base::start_quiet_thread(std::move(work));
  } catch (const std::system_error& error) {
    throw Error(std::string("PMIx: a thread: ") + error.what());
  }
}

// Bytes that libpmix reads until it calls `release`.
using Loan = std::unique_ptr<const std::string>;

void release(void* bytes) {
  const Loan loan(static_cast<const std::string*>(bytes));
}

void answer(pmix_modex_cbfunc_t function, void* caller, pmix_status_t status, const std::string& data) {
  Loan loan = std::make_unique<const std::string>(data);
  const std::string* bytes = loan.release();
  function(status, bytes->data(), bytes->size(), caller, &release,
           const_cast<std::string*>(bytes));  // NOLINT
}

pmix_status_t status_of(protocol::NameOutcome outcome) {
  switch (outcome) {
    case protocol::NameOutcome::done:
      return PMIX_SUCCESS;
    case protocol::NameOutcome::unknown:
      return PMIX_ERR_NOT_FOUND;
    case protocol::NameOutcome::taken:
      return PMIX_ERR_DUPLICATE_KEY;
    case protocol::NameOutcome::too_much:
      return PMIX_ERR_OUT_OF_RESOURCE;
    case protocol::NameOutcome::timed_out:
      return PMIX_ERR_TIMEOUT;
  }
  return PMIX_ERROR;
}

}  // namespace

struct PmixServer::State {
  Library library;
  protocol::Start start;
  std::string nspace;
  Mailbox mailbox;
  std::vector<FenceCall> fences;
  std::vector<ConnectCall> connects;
  std::map<std::uint64_t, ModexCall> requests;
  std::map<std::uint64_t, NameCall> names;
  std::list<ModexQuestion> questions;
  std::uint64_t next_id = 0;
  bool initialized = false;                                       ///< server_init has succeeded.
  std::map<std::uint32_t, std::vector<std::string>> environment;  ///< Of each rank, as libpmix wants it.
  std::set<std::uint32_t> connected;
  std::set<std::uint32_t> finalized;

  const std::vector<std::uint32_t>& ranks() const { return start.nodes[start.node].ranks; }

  void check(pmix_status_t status, const char* what) const {
    if (status != PMIX_SUCCESS)
      throw Error(std::string("PMIx: ") + what + ": " + library.error_string(status));
  }

  void initialize(const std::string& folder);
  void register_job(const std::string& folder);
  std::vector<std::string> environment_of(const pmix_proc_t& proc) const;

  protocol::Message tell(const ClientConnected& client);
  protocol::Message tell(FenceCall& call);
  protocol::Message tell(ModexCall& call);
  protocol::Message tell(ModexData& data);
  protocol::Message tell(AbortCall& call);
  protocol::Message tell(ConnectCall& call);
  protocol::Message tell(NameCall& call);
};

void PmixServer::State::initialize(const std::string& folder) {
  InfoList infos;
  infos.add_text(PMIX_SERVER_TMPDIR, folder);
  infos.add_text(PMIX_SERVER_NSPACE, "adarun-agent-" + start.job_id);
  infos.add_rank(PMIX_SERVER_RANK, start.node);
  infos.add_text(PMIX_HOSTNAME, start.nodes[start.node].hostname);
  // Otherwise each rank would read the whole topology itself. Not for a single rank, which possibly does not
  // use MPI.
  if (ranks().size() > 1) infos.add_flag(PMIX_SERVER_SHARE_TOPOLOGY);
  pmix_server_module_t module = callbacks(&mailbox);
  check(library.server_init(&module, infos.data(), infos.size()), "server_init");
  initialized = true;
}

void PmixServer::State::register_job(const std::string& folder) {
  const auto count = static_cast<int>(ranks().size());
  const pmix_proc_t job = process(nspace, PMIX_RANK_WILDCARD);
  InfoList infos = describe_job(library, start, folder);
  check(carry_out([&](pmix_op_cbfunc_t done, void* data) {
          return library.register_nspace(job.nspace, count, infos.data(), infos.size(), done, data);
        }),
        "register_nspace");
  for (const std::uint32_t rank : ranks()) {
    const pmix_proc_t proc = process(nspace, rank);
    check(carry_out([&](pmix_op_cbfunc_t done, void* data) {
            return library.register_client(&proc, ::getuid(), ::getgid(), nullptr, done, data);
          }),
          "register_client");
    environment[rank] = environment_of(proc);
  }
}

std::vector<std::string> PmixServer::State::environment_of(const pmix_proc_t& proc) const {
  char** variables = static_cast<char**>(std::calloc(1, sizeof(char*)));  // NOLINT: libpmix reallocates it
  const pmix_status_t status = library.setup_fork(&proc, &variables);
  std::vector<std::string> result;
  for (char** variable = variables; *variable != nullptr; ++variable) {
    result.emplace_back(*variable);
    std::free(*variable);  // NOLINT
  }
  std::free(variables);  // NOLINT
  check(status, "setup_fork");
  return result;
}

PmixServer::PmixServer(const protocol::Start& start, const std::string& folder)
    : state_(std::make_unique<State>()) {
  if (start.node >= start.nodes.size() || start.nodes[start.node].ranks.empty())
    throw Error("MPI: node " + std::to_string(start.node) + " has no ranks in the job's node map");
  state_->library = load_library();
  state_->start = start;
  state_->nspace = name_of_job(start);
  set_up(folder);
}

// On a thread of its own, which is left behind if libpmix hangs in any of its functions.
void PmixServer::set_up(const std::string& folder) {
  const auto outcome = std::make_shared<std::promise<void>>();
  std::future<void> done = outcome->get_future();
  std::thread thread = start_thread([state = state_.get(), folder, outcome] {
    try {
      state->initialize(folder);
      state->register_job(folder);
      outcome->set_value();
    } catch (...) {
      outcome->set_exception(std::current_exception());
    }
  });
  const std::chrono::milliseconds time = set_up_time(state_->start);
  if (done.wait_for(time) != std::future_status::ready) {
    thread.detach();
    keep_state();
    throw Error("PMIx: libpmix has not set its server up within " + base::describe(time));
  }
  thread.join();
  try {
    done.get();
  } catch (...) {
    if (state_->initialized) state_->library.server_finalize();
    callbacks(nullptr);
    throw;
  }
}

// PMIx_server_finalize of libpmix 4.2 deadlocks on its own lock if clients died in PMIx_Init. It is not
// called: the process ends soon, libpmix's files are in our folder, and its thread may use the state until
// then.
PmixServer::~PmixServer() {
  keep_state();
}

void PmixServer::keep_state() {
  callbacks(nullptr);
  static std::atomic<State*> kept;
  kept = state_.release();
}

MpiServer::RankStart PmixServer::admit(std::uint32_t rank) {
  const auto& ranks = state_->ranks();
  const auto place = std::find(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end()) return {};
  std::vector<std::string> environment =
      rank_environment(state_->start, rank, static_cast<std::size_t>(place - ranks.begin()));
  const std::vector<std::string>& further = state_->environment.at(rank);
  environment.insert(environment.end(), further.begin(), further.end());
  return {std::move(environment), {}};
}

void PmixServer::watch(Poll& poll) {
  poll.watch(state_->mailbox.fd(), POLLIN, [] {});  // collect() takes the events.
}

// A rank may run several MPI programs, one after another.
protocol::Message PmixServer::State::tell(const ClientConnected& client) {
  connected.insert(client.rank);
  finalized.erase(client.rank);
  return protocol::Joined{client.rank};
}

protocol::Message PmixServer::State::tell(FenceCall& call) {
  protocol::Fence fence{call.participants, std::move(call.data)};
  fences.push_back(std::move(call));
  return fence;
}

protocol::Message PmixServer::State::tell(ModexCall& call) {
  const std::uint64_t id = next_id++;
  requests.emplace(id, call);
  return protocol::ModexRequest{start.node, id, call.rank};
}

protocol::Message PmixServer::State::tell(ModexData& data) {
  questions.remove_if([&data](const ModexQuestion& question) {
    return question.asking_node == data.asking_node && question.id == data.id;
  });
  return protocol::ModexReply{data.asking_node, data.id, data.status, std::move(data.data)};
}

protocol::Message PmixServer::State::tell(AbortCall& call) {
  if (call.answer != nullptr) call.answer(PMIX_SUCCESS, call.caller);
  return protocol::Abort{call.rank, call.status, std::move(call.message), base::now_ns()};
}

protocol::Message PmixServer::State::tell(ConnectCall& call) {
  protocol::Fence fence{call.participants, "", call.service};
  connects.push_back(std::move(call));
  return fence;
}

protocol::Message PmixServer::State::tell(NameCall& call) {
  protocol::NameRequest request = std::move(call.request);
  request.id = next_id++;
  names.emplace(request.id, call);
  return request;
}

std::vector<protocol::Message> PmixServer::collect() {
  std::vector<protocol::Message> result;
  for (ServerEvent& event : state_->mailbox.take()) {
    if (const auto* client = std::get_if<ClientFinalized>(&event)) state_->finalized.insert(client->rank);
    if (const auto* client = std::get_if<ClientConnected>(&event)) result.push_back(state_->tell(*client));
    if (auto* call = std::get_if<FenceCall>(&event)) result.push_back(state_->tell(*call));
    if (auto* call = std::get_if<ModexCall>(&event)) {
      if (call->rank < state_->start.world_size)
        result.push_back(state_->tell(*call));
      else  // No rank, such as the wildcard, for data of the job: what there is of it, the server has itself.
        answer(call->answer, call->caller, PMIX_ERR_NOT_FOUND, "");
    }
    if (auto* data = std::get_if<ModexData>(&event)) result.push_back(state_->tell(*data));
    if (auto* call = std::get_if<AbortCall>(&event)) result.push_back(state_->tell(*call));
    if (auto* call = std::get_if<SpawnCall>(&event))
      result.push_back(spawn_ends_job(call->rank, std::move(call->wanted)));
    if (auto* call = std::get_if<ConnectCall>(&event)) result.push_back(state_->tell(*call));
    if (auto* call = std::get_if<NameCall>(&event)) result.push_back(state_->tell(*call));
  }
  return result;
}

bool PmixServer::has_connected(std::uint32_t rank) const {
  return state_->connected.count(rank) != 0;
}

bool PmixServer::has_finalized(std::uint32_t rank) const {
  return state_->finalized.count(rank) != 0;
}

void PmixServer::finish_fence(const protocol::FenceDone& done) {
  if (done.service != protocol::Service::pmix) return finish_connect(done);
  std::vector<FenceCall>& fences = state_->fences;
  const auto finished = std::stable_partition(fences.begin(), fences.end(), [&done](const FenceCall& call) {
    return call.participants != done.participants;
  });
  for (auto call = finished; call != fences.end(); ++call)
    answer(call->answer, call->caller, PMIX_SUCCESS, done.data);
  fences.erase(finished, fences.end());
}

// The first of these: ranks may connect to each other several times.
void PmixServer::finish_connect(const protocol::FenceDone& done) {
  std::vector<ConnectCall>& connects = state_->connects;
  const auto call = std::ranges::find_if(connects, [&done](const ConnectCall& each) {
    return each.service == done.service && each.participants == done.participants;
  });
  if (call == connects.end()) return;
  call->answer(PMIX_SUCCESS, call->caller);
  connects.erase(call);
}

void PmixServer::answer_request(const protocol::ModexRequest& request) {
  ModexQuestion& question = state_->questions.emplace_back(ModexQuestion{request.asking_node, request.id});
  const pmix_proc_t proc = process(state_->nspace, request.rank);
  const pmix_status_t status = state_->library.dmodex_request(&proc, &answer_question, &question);
  if (status != PMIX_SUCCESS) state_->mailbox.post(ModexData{request.asking_node, request.id, status, {}});
}

void PmixServer::take_reply(const protocol::ModexReply& reply) {
  const auto request = state_->requests.find(reply.id);
  if (request == state_->requests.end()) return;
  answer(request->second.answer, request->second.caller, reply.status, reply.data);
  state_->requests.erase(request);
}

void PmixServer::take_names(const protocol::NameReply& reply) {
  const auto request = state_->names.find(reply.id);
  if (request == state_->names.end()) return;
  const NameCall call = request->second;
  state_->names.erase(request);
  pmix_status_t status = status_of(reply.outcome);
  if (call.answer != nullptr) return call.answer(status, call.caller);
  FoundValues found(state_->nspace, reply.names);
  if (status == PMIX_ERR_NOT_FOUND && found.size() > 0) status = PMIX_ERR_PARTIAL_SUCCESS;
  call.found(status, found.data(), found.size(), call.caller);
}

}  // namespace adarun::launcher::agent::pmix
