// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/callbacks.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/system_text.h"
#include "base/wall_clock.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/agent/mpi/pmix/published_values.h"

namespace adarun::launcher::agent::pmix {

Mailbox::Mailbox() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!fd_) throw Error("eventfd: " + base::system_text(errno));
}

void Mailbox::post(ServerEvent event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  ::eventfd_write(fd_.get(), 1);
}

std::vector<ServerEvent> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  eventfd_t count = 0;
  ::eventfd_read(fd_.get(), &count);
  return std::exchange(events_, {});
}

namespace {

// Global, because libpmix passes no user pointer to a fence callback.
std::atomic<Mailbox*> box = nullptr;  // NOLINT

pmix_status_t post(protocol::Message message, const Release& release = {}) {
  Mailbox* const mailbox = box;
  if (mailbox == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  try {
    mailbox->post({std::move(message), release});
    return PMIX_SUCCESS;
  } catch (const std::exception&) {
    return PMIX_ERR_NOMEM;
  }
}

pmix_status_t client_connected(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*) {
  const pmix_status_t status = post(protocol::Joined{proc->rank});
  return status == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : status;
}

pmix_status_t client_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*) {
  const pmix_status_t status = post(protocol::Finalized{proc->rank});
  return status == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : status;
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t abort_job(const pmix_proc_t* proc, void*, int status, const char message[], pmix_proc_t[],
                        std::size_t, pmix_op_cbfunc_t answer, void* caller) {
  const std::string words = message == nullptr ? "" : message;
  const bool is_empty = words == "N/A";  // Of Open MPI.
  return post(protocol::Abort{proc->rank, status, is_empty ? "" : words, base::now_ns()},
              {.done = answer, .caller = caller});
}

std::vector<std::uint32_t> participants_of(const pmix_proc_t procs[], std::size_t count) {
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < count; ++i) {
    if (procs[i].rank == PMIX_RANK_WILDCARD) return {};
    ranks.push_back(procs[i].rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t fence(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[], std::size_t,
                    char* data, std::size_t size, pmix_modex_cbfunc_t answer, void* caller) {
  const bool fits = size + count * sizeof(std::uint32_t) <= most_exchanged_bytes;
  protocol::Fence fence{{}, data == nullptr || !fits ? "" : std::string(data, size)};
  std::free(data);  // NOLINT: libpmix's malloc, ours to free
  if (!fits) return PMIX_ERR_OUT_OF_RESOURCE;
  fence.participants = participants_of(procs, count);
  return post(std::move(fence), {.data = answer, .caller = caller});
}

pmix_status_t direct_modex(const pmix_proc_t* proc, const pmix_info_t[], std::size_t,
                           pmix_modex_cbfunc_t answer, void* caller) {
  return post(protocol::ModexRequest{0, 0, proc->rank}, {.data = answer, .caller = caller});
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t connect_ranks(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[], std::size_t,
                            pmix_op_cbfunc_t answer, void* caller) {
  return post(protocol::Fence{participants_of(procs, count), "", protocol::Service::pmix_connect},
              {.done = answer, .caller = caller});
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t disconnect_ranks(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[], std::size_t,
                               pmix_op_cbfunc_t answer, void* caller) {
  return post(protocol::Fence{participants_of(procs, count), "", protocol::Service::pmix_disconnect},
              {.done = answer, .caller = caller});
}

// Not answered: the job ends.
// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t spawn(const pmix_proc_t* proc, const pmix_info_t[], std::size_t, const pmix_app_t apps[],
                    std::size_t count, pmix_spawn_cbfunc_t, void*) {
  std::int64_t processes = 0;
  for (std::size_t i = 0; i < count; ++i) processes += std::max(1, apps[i].maxprocs);
  const char* program = count == 0 ? nullptr : apps[0].cmd;
  return post(spawn_ends_job(proc->rank, std::to_string(processes),
                             program == nullptr ? "a program" : program,
                             count > 1 ? Programs::several : Programs::one));
}

bool is_within_bounds(const protocol::NameRequest& request) {
  std::size_t bytes = 0;
  for (const protocol::PublishedName& each : request.names) {
    if (each.name.size() > PMIX_MAX_KEYLEN) return false;
    bytes += each.name.size() + each.value.size();
  }
  return request.names.size() <= protocol::most_requested_names && bytes <= protocol::most_requested_bytes;
}

pmix_status_t post_names(protocol::NameRequest request, const Release& release) {
  return is_within_bounds(request) ? post(std::move(request), release) : PMIX_ERR_OUT_OF_RESOURCE;
}

bool is_key(const pmix_info_t& info, const char* key) {
  return std::strncmp(info.key, key, PMIX_MAX_KEYLEN) == 0;
}

pmix_status_t publish(const pmix_proc_t* proc, const pmix_info_t infos[], std::size_t count,
                      pmix_op_cbfunc_t answer, void* caller) {
  protocol::NameRequest request{0, protocol::Service::pmix, proc->rank};
  for (std::size_t i = 0; i < count; ++i) {
    const pmix_info_t& info = infos[i];
    if (is_key(info, PMIX_PERSISTENCE)) {
      request.once = info.value.type == PMIX_PERSIST && info.value.data.persist == PMIX_PERSIST_FIRST_READ;
    } else if (std::strncmp(info.key, "pmix", 4) != 0) {  // Other directives; all ranks are of one job.
      const auto value = bytes_of(info.value);
      if (!value) return PMIX_ERR_NOT_SUPPORTED;
      request.names.push_back(
          {std::string(info.key, ::strnlen(info.key, PMIX_MAX_KEYLEN)), *value, proc->rank});
    }
  }
  return post_names(std::move(request), {.done = answer, .caller = caller});
}

void add_names(protocol::NameRequest& request, char** keys) {
  for (; keys != nullptr && *keys != nullptr; ++keys) request.names.push_back({*keys, "", 0});
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t look_up(const pmix_proc_t* proc, char** keys, const pmix_info_t infos[], std::size_t count,
                      pmix_lookup_cbfunc_t found, void* caller) {
  constexpr std::uint32_t usual_wait_s = 600;  // Open MPI's own.
  protocol::NameRequest request{0, protocol::Service::pmix, proc->rank, protocol::NameAction::look_up};
  add_names(request, keys);
  std::uint32_t limit_s = usual_wait_s;
  bool waits = false;
  for (std::size_t i = 0; i < count; ++i) {
    const pmix_value_t& value = infos[i].value;
    if (is_key(infos[i], PMIX_WAIT)) waits = value.type != PMIX_BOOL || value.data.flag;
    if (is_key(infos[i], PMIX_TIMEOUT) && value.type == PMIX_INT && value.data.integer > 0)
      limit_s = static_cast<std::uint32_t>(value.data.integer);
  }
  if (waits) request.wait_s = limit_s;
  return post_names(std::move(request), {.found = found, .caller = caller});
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t withdraw(const pmix_proc_t* proc, char** keys, const pmix_info_t[], std::size_t,
                       pmix_op_cbfunc_t answer, void* caller) {
  protocol::NameRequest request{0, protocol::Service::pmix, proc->rank, protocol::NameAction::withdraw};
  add_names(request, keys);
  return post_names(std::move(request), {.done = answer, .caller = caller});
}

}  // namespace

pmix_server_module_t callbacks(Mailbox* mailbox) {
  box = mailbox;
  pmix_server_module_t module{};
  module.client_connected = client_connected;
  module.client_finalized = client_finalized;
  module.abort = abort_job;
  module.fence_nb = fence;
  module.direct_modex = direct_modex;
  module.publish = publish;
  module.lookup = look_up;
  module.unpublish = withdraw;
  module.spawn = spawn;
  module.connect = connect_ranks;
  module.disconnect = disconnect_ranks;
  return module;
}

void answer_question(pmix_status_t status, char* data, std::size_t size, void* question) {
  const auto& asked = *static_cast<ModexQuestion*>(question);
  const bool fits = size <= most_exchanged_bytes;
  post(protocol::ModexReply{asked.asking_node, asked.id, fits ? status : PMIX_ERR_OUT_OF_RESOURCE,
                            data == nullptr || !fits ? "" : std::string(data, size)});
}

}  // namespace adarun::launcher::agent::pmix
