// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/mailbox.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <utility>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"

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

}  // namespace adarun::launcher::agent::pmix
