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
#include <variant>

#include "base/describe.h"
#include "base/signals.h"
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

// Bytes that libpmix reads until it calls `give_back`.
using Loan = std::unique_ptr<const std::string>;

void give_back(void* bytes) {
  const Loan loan(static_cast<const std::string*>(bytes));
}

void answer(const Release& release, pmix_status_t status, const std::string& data) {
  Loan loan = std::make_unique<const std::string>(data);
  const std::string* bytes = loan.release();
  release.data(status, bytes->data(), bytes->size(), release.caller, &give_back,
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
  std::vector<std::pair<protocol::Fence, Release>> fences;  ///< That are not done; without data.
  std::map<std::uint64_t, Release> requests;                ///< For data of a rank, or about names.
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

  bool take(ServerEvent& event);
  bool take(protocol::ModexRequest& request, const Release& release);
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
  // libpmix crashes if neither HOME nor the user database says where the user's home is. Ranks have an
  // environment of their own.
  ::setenv("HOME", "", 0);
  const auto outcome = std::make_shared<std::promise<void>>();
  std::future<void> done = outcome->get_future();
  const auto work = [state = state_.get(), folder, outcome] {
    try {
      state->initialize(folder);
      state->register_job(folder);
      outcome->set_value();
    } catch (...) {
      outcome->set_exception(std::current_exception());
    }
  };
  std::thread thread;
  try {
    thread = base::start_quiet_thread(work);
  } catch (const std::system_error& error) {
    throw Error(std::string("PMIx: a thread: ") + error.what());
  }
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

MpiServer::RankStart PmixServer::admit(std::uint32_t rank, std::uint32_t restarts) {
  const auto& ranks = state_->ranks();
  const auto place = std::find(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end() || restarts > 0) return {};
  std::vector<std::string> environment =
      rank_environment(state_->start, rank, static_cast<std::size_t>(place - ranks.begin()));
  const std::vector<std::string>& further = state_->environment.at(rank);
  environment.insert(environment.end(), further.begin(), further.end());
  return {std::move(environment), {}};
}

void PmixServer::watch(Poll& poll) {
  poll.watch(state_->mailbox.fd(), POLLIN, [] {});  // collect() takes the events.
}

// Completes the message, and keeps how libpmix is answered later. False: it is not for the launcher.
bool PmixServer::State::take(ServerEvent& event) {
  const Release& release = event.release;
  if (const auto* joined = std::get_if<protocol::Joined>(&event.message)) {
    connected.insert(joined->rank);
    finalized.erase(joined->rank);  // It may run several programs, one after another.
  } else if (const auto* end = std::get_if<protocol::Finalized>(&event.message)) {
    finalized.insert(end->rank);
    return false;
  } else if (const auto* fence = std::get_if<protocol::Fence>(&event.message)) {
    fences.push_back({{fence->participants, "", fence->service}, release});
  } else if (auto* request = std::get_if<protocol::ModexRequest>(&event.message)) {
    return take(*request, release);
  } else if (const auto* reply = std::get_if<protocol::ModexReply>(&event.message)) {
    questions.remove_if([reply](const ModexQuestion& question) {
      return question.asking_node == reply->asking_node && question.id == reply->id;
    });
  } else if (auto* names = std::get_if<protocol::NameRequest>(&event.message)) {
    names->id = next_id++;
    requests.emplace(names->id, release);
  } else if (release.done != nullptr) {
    release.done(PMIX_SUCCESS, release.caller);  // MPI_Abort.
  }
  return true;
}

// Data of no rank, such as the wildcard's, are of the job: what there is of them, the server has itself.
bool PmixServer::State::take(protocol::ModexRequest& request, const Release& release) {
  if (request.rank >= start.world_size) {
    answer(release, PMIX_ERR_NOT_FOUND, "");
    return false;
  }
  request.asking_node = start.node;
  request.id = next_id++;
  requests.emplace(request.id, release);
  return true;
}

std::vector<protocol::Message> PmixServer::collect() {
  std::vector<protocol::Message> result;
  for (ServerEvent& event : state_->mailbox.take())
    if (state_->take(event)) result.push_back(std::move(event.message));
  return result;
}

bool PmixServer::has_connected(std::uint32_t rank) const {
  return state_->connected.count(rank) != 0;
}

bool PmixServer::has_finalized(std::uint32_t rank) const {
  return state_->finalized.count(rank) != 0;
}

void PmixServer::take(const protocol::Message& message) {
  if (const auto* done = std::get_if<protocol::FenceDone>(&message)) finish_fence(*done);
  if (const auto* request = std::get_if<protocol::ModexRequest>(&message)) answer_request(*request);
  if (const auto* reply = std::get_if<protocol::ModexReply>(&message)) take_reply(*reply);
  if (const auto* reply = std::get_if<protocol::NameReply>(&message)) take_names(*reply);
}

// Of several connections between the same ranks, the first.
void PmixServer::finish_fence(const protocol::FenceDone& done) {
  auto& fences = state_->fences;
  for (auto each = fences.begin(); each != fences.end();) {
    const auto& [fence, release] = *each;
    if (fence.service != done.service || fence.participants != done.participants) {
      ++each;
      continue;
    }
    if (release.data != nullptr)
      answer(release, PMIX_SUCCESS, done.data);
    else
      release.done(PMIX_SUCCESS, release.caller);
    each = fences.erase(each);
    if (done.service != protocol::Service::pmix) return;
  }
}

void PmixServer::answer_request(const protocol::ModexRequest& request) {
  ModexQuestion& question = state_->questions.emplace_back(ModexQuestion{request.asking_node, request.id});
  const pmix_proc_t proc = process(state_->nspace, request.rank);
  const pmix_status_t status = state_->library.dmodex_request(&proc, &answer_question, &question);
  if (status != PMIX_SUCCESS)
    state_->mailbox.post({protocol::ModexReply{request.asking_node, request.id, status, ""}});
}

void PmixServer::take_reply(const protocol::ModexReply& reply) {
  const auto request = state_->requests.find(reply.id);
  if (request == state_->requests.end() || request->second.data == nullptr) return;
  answer(request->second, reply.status, reply.data);
  state_->requests.erase(request);
}

void PmixServer::take_names(const protocol::NameReply& reply) {
  const auto request = state_->requests.find(reply.id);
  if (reply.service != protocol::Service::pmix || request == state_->requests.end() ||
      request->second.data != nullptr)
    return;
  const Release release = request->second;
  state_->requests.erase(request);
  pmix_status_t status = status_of(reply.outcome);
  if (release.done != nullptr) return release.done(status, release.caller);
  FoundValues found(state_->nspace, reply.names);
  if (status == PMIX_ERR_NOT_FOUND && found.size() > 0) status = PMIX_ERR_PARTIAL_SUCCESS;
  release.found(status, found.data(), found.size(), release.caller);
}

}  // namespace adarun::launcher::agent::pmix
