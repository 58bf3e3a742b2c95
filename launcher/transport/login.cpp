// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/login.h"

#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <utility>

#include "launcher/error.h"
#include "launcher/posix/file_descriptor.h"
#include "launcher/posix/quiet_thread.h"

namespace adarun::launcher {
namespace {

// How long bytes may wait that libssh has taken in already.
constexpr int beat_ms = 100;

posix::FileDescriptor make_event() {
  posix::FileDescriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event) throw Error("cannot make an event descriptor");
  return event;
}

}  // namespace

// Shared with the thread, which may outlive us.
struct Login::Work {
  SshSession session;
  posix::FileDescriptor done = make_event();
  posix::FileDescriptor given_up = make_event();
  std::atomic<bool> is_given_up = false;
  std::atomic<bool> waits_for_key = false;
  std::atomic<bool> over = false;
  int result = SSH_AUTH_ERROR;

  void run() {
    while (!is_given_up) {
      waits_for_key = true;
      result = ssh_userauth_publickey_auto(session.get(), nullptr, nullptr);
      waits_for_key = false;
      if (result != SSH_AUTH_AGAIN) break;
      wait_for_server();
    }
    over = true;
    eventfd_write(done.get(), 1);
  }

  void wait_for_server() const {
    const int flags = ssh_get_poll_flags(session.get());
    const auto wanted = static_cast<short>(POLLIN | ((flags & SSH_WRITE_PENDING) != 0 ? POLLOUT : 0));
    std::array<pollfd, 2> polled{{{ssh_get_fd(session.get()), wanted, 0}, {given_up.get(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), beat_ms);
  }
};

Login::Login(SshSession session) : work_(std::make_shared<Work>()) {
  work_->session = std::move(session);
  posix::start_quiet_thread([work = work_] { work->run(); }).detach();
}

Login::~Login() {
  work_->is_given_up = true;
  eventfd_write(work_->given_up.get(), 1);
}

int Login::fd() const {
  return work_->done.get();
}

bool Login::over() const {
  return work_->over;
}

bool Login::waits_for_key() const {
  return work_->waits_for_key;
}

SshSession Login::take_session() {
  return std::move(work_->session);
}

int Login::result() const {
  return work_->result;
}

}  // namespace adarun::launcher
