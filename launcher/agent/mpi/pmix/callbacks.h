// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "launcher/agent/mpi/pmix/mailbox.h"

namespace adarun::launcher::agent::pmix {

/// The callbacks that libpmix calls on its own thread. Each posts an event to `mailbox` and returns.
/// `mailbox` must outlive the server; null stops the posting. One server per process: most callbacks have no
/// argument that identifies the server.
pmix_server_module_t callbacks(Mailbox* mailbox);

/// One request of another node to this server. The caller keeps it until its ModexData has arrived.
struct ModexQuestion {
  std::uint32_t asking_node;
  std::uint64_t id;
};

/// The callback for PMIx_server_dmodex_request; `question` points to a ModexQuestion.
void answer_question(pmix_status_t status, char* data, std::size_t size, void* question);

}  // namespace adarun::launcher::agent::pmix
