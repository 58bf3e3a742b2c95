// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/mpi/pmix/library.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {

/// How libpmix is answered: by at most one of the functions, with `caller`.
struct Release {
  pmix_op_cbfunc_t done = nullptr;
  pmix_modex_cbfunc_t data = nullptr;
  pmix_lookup_cbfunc_t found = nullptr;
  void* caller = nullptr;
};

/// What a local rank has done or asks for, as the message for the launcher, but for the ids that the server
/// chooses: Joined once it has connected to the server (it is not a singleton), Finalized after MPI_Finalize,
/// Fence once all local participants have entered it, or connect to each other, or end that (participants
/// sorted), ModexRequest, NameRequest, Abort (also for a spawn, which is not answered). ModexReply: the data
/// that it published, requested by another node.
struct ServerEvent {
  protocol::Message message;
  Release release = {};
};

/// Carries events from libpmix's thread to the agent's loop.
class Mailbox {
 public:
  /// Throws agent::Error.
  Mailbox();

  /// Thread-safe. Blocks only for the lock.
  void post(ServerEvent event);

  /// Removes and returns all events, in order.
  std::vector<ServerEvent> take();

  /// Readable while there are events.
  int fd() const { return fd_.get(); }

 private:
  base::FileDescriptor fd_;
  std::mutex mutex_;
  std::vector<ServerEvent> events_;
};

/// The callbacks that libpmix calls on its own thread. Each posts an event to `mailbox` and returns.
/// `mailbox` must outlive the server; null stops the posting. One server per process: most callbacks have no
/// argument that identifies the server.
pmix_server_module_t callbacks(Mailbox* mailbox);

/// One request of another node to this server. The caller keeps it until the ModexReply to it has arrived.
struct ModexQuestion {
  std::uint32_t asking_node;
  std::uint64_t id;
};

/// The callback for PMIx_server_dmodex_request; `question` points to a ModexQuestion.
void answer_question(pmix_status_t status, char* data, std::size_t size, void* question);

}  // namespace adarun::launcher::agent::pmix
