// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/child_processes.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <set>

namespace adasum::sockets {
namespace {

struct Kept {
  std::mutex mutex;
  std::set<int> descriptors;
};

// Never destroyed: a child may be forked while the program ends.
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

// Calls only what is allowed in the child of a process with threads. The numbers stay taken, because their
// owners in the child will close them.
void replace_in_child() {
  const int none = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : kept().descriptors) {
    if (none >= 0) ::dup3(none, descriptor, O_CLOEXEC);
  }
  if (none >= 0) ::close(none);
  kept().mutex.unlock();
}

void watch_forks() {
  static const int status =
      ::pthread_atfork([] { kept().mutex.lock(); }, [] { kept().mutex.unlock(); }, &replace_in_child);
  static_cast<void>(status);
}

}  // namespace

KeptFromChildren::KeptFromChildren(std::span<const Link> links) {
  watch_forks();
  const std::lock_guard lock(kept().mutex);
  for (const Link& link : links) {
    if (!link) continue;
    descriptors_.push_back(link.socket.get());
    kept().descriptors.insert(link.socket.get());
  }
}

KeptFromChildren::~KeptFromChildren() {
  const std::lock_guard lock(kept().mutex);
  for (const int descriptor : descriptors_) kept().descriptors.erase(descriptor);
}

}  // namespace adasum::sockets
