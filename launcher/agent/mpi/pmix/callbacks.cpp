// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/callbacks.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>

#include "launcher/agent/mpi/mpi_server.h"

namespace adarun::launcher::agent::pmix {
namespace {

// Global, because libpmix passes no user pointer to a fence callback.
std::atomic<Mailbox*> box = nullptr;  // NOLINT

pmix_status_t post(ServerEvent event) {
  Mailbox* const mailbox = box;
  if (mailbox == nullptr) return PMIX_ERR_NOT_SUPPORTED;
  try {
    mailbox->post(std::move(event));
    return PMIX_SUCCESS;
  } catch (const std::exception&) {
    return PMIX_ERR_NOMEM;
  }
}

pmix_status_t client_connected(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*) {
  const pmix_status_t status = post(ClientConnected{proc->rank});
  return status == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : status;
}

pmix_status_t client_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*) {
  const pmix_status_t status = post(ClientFinalized{proc->rank});
  return status == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : status;
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t abort_job(const pmix_proc_t* proc, void*, int status, const char message[], pmix_proc_t[],
                        std::size_t, pmix_op_cbfunc_t answer, void* caller) {
  const std::string words = message == nullptr ? "" : message;
  return post(
      AbortCall{proc->rank, status, words == "N/A" ? "" : words, answer, caller});  // Open MPI: no message
}

// NOLINTNEXTLINE(readability-function-size): libpmix chose the parameters
pmix_status_t fence(const pmix_proc_t procs[], std::size_t count, const pmix_info_t[], std::size_t,
                    char* data, std::size_t size, pmix_modex_cbfunc_t answer, void* caller) {
  const bool fits = size + count * sizeof(std::uint32_t) <= most_exchanged_bytes;
  FenceCall call{{}, data == nullptr || !fits ? "" : std::string(data, size), answer, caller};
  std::free(data);  // NOLINT: libpmix's malloc, ours to free
  if (!fits) return PMIX_ERR_OUT_OF_RESOURCE;
  for (std::size_t i = 0; i < count; ++i) {
    if (procs[i].rank == PMIX_RANK_WILDCARD) {
      call.participants.clear();
      break;
    }
    call.participants.push_back(procs[i].rank);
  }
  std::sort(call.participants.begin(), call.participants.end());
  return post(std::move(call));
}

pmix_status_t direct_modex(const pmix_proc_t* proc, const pmix_info_t[], std::size_t,
                           pmix_modex_cbfunc_t answer, void* caller) {
  return post(ModexCall{proc->rank, answer, caller});
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
  return module;
}

void answer_question(pmix_status_t status, char* data, std::size_t size, void* question) {
  const auto& asked = *static_cast<ModexQuestion*>(question);
  if (size > most_exchanged_bytes)
    post(ModexData{asked.asking_node, asked.id, PMIX_ERR_OUT_OF_RESOURCE, ""});
  else
    post(ModexData{asked.asking_node, asked.id, status, data == nullptr ? "" : std::string(data, size)});
}

}  // namespace adarun::launcher::agent::pmix
