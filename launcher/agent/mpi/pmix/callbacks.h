// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "launcher/agent/mpi/pmix/mailbox.h"

namespace adarun::launcher::agent::pmix {

/// What libpmix calls on its own thread. Each posts to the mailbox and returns. `mailbox` outlives the
/// server; null ends the posting. One server per process: most of these calls carry nothing to tell servers
/// by.
pmix_server_module_t callbacks(Mailbox* mailbox);

/// One question of another node to this server. Kept by the asker until its ModexData has come.
struct ModexQuestion {
  std::uint32_t asking_node;
  std::uint64_t id;
};

/// For PMIx_server_dmodex_request; `question` is a ModexQuestion.
void answer_question(pmix_status_t status, char* data, std::size_t size, void* question);

}  // namespace adarun::launcher::agent::pmix
