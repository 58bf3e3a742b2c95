// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/send_queue.h"

#include <sys/eventfd.h>

#include <utility>

#include "launcher/base/error.h"

namespace adarun::launcher {

SendQueue::SendQueue() : ready_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!ready_) throw Error("cannot make an event descriptor");
}

void SendQueue::push(Item item) {
  const std::lock_guard lock(mutex_);
  items_.push_back(std::move(item));
  wake();
}

std::vector<SendQueue::Item> SendQueue::take() {
  const std::lock_guard lock(mutex_);
  eventfd_t ignored = 0;
  eventfd_read(ready_.get(), &ignored);
  return std::exchange(items_, {});
}

void SendQueue::wake() const {
  eventfd_write(ready_.get(), 1);
}

}  // namespace adarun::launcher
