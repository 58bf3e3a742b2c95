// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/file_descriptor.h"
#include "launcher/protocol/query.h"

namespace adarun::launcher::agent {

/// A process of ours that computes an answer.
struct Worker {
  pid_t pid = -1;
  base::FileDescriptor result;  ///< The answer as a frame, then end of file; non-blocking.
};

/// Forks a process that does `work` and ends. It leads its own process group, has default signal handling,
/// keeps no descriptor of the agent above stderr but `kept` (-1: none), and is killed when the calling thread
/// ends. An exception of `work` is an answer that failed, with its message. Throws agent::Error if no process
/// can be created. The caller is single-threaded: unlike a program, the child allocates memory.
Worker fork_worker(const std::function<protocol::Answer()>& work, int kept = -1);

}  // namespace adarun::launcher::agent
