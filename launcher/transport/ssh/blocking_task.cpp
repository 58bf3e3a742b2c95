// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/blocking_task.h"

#include <sys/eventfd.h>

#include <exception>
#include <utility>

#include "base/signals.h"
#include "launcher/base/error.h"

namespace adarun::launcher {

BlockingTask::BlockingTask(std::function<void()> work) : shared_(std::make_shared<Shared>()) {
  shared_->done = base::FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!shared_->done) throw Error("cannot make an event descriptor");
  const auto run = [shared = shared_, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception&) {
      shared->error = std::current_exception();
    }
    shared->over = true;
    eventfd_write(shared->done.get(), 1);
  };
  thread_ = base::start_quiet_thread(run);
}

BlockingTask::~BlockingTask() {
  if (!thread_.joinable()) return;  // It was moved away.
  over() ? thread_.join() : thread_.detach();
}

}  // namespace adarun::launcher
