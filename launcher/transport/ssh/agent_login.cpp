// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/agent_login.h"

#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "base/file_descriptor.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/agent_filter.h"

namespace adarun::launcher {
namespace {

// How long bytes may wait that libssh has already read from the socket.
constexpr int beat_ms = 100;

base::FileDescriptor make_event() {
  base::FileDescriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event) throw Error("cannot make an event descriptor");
  return event;
}

}  // namespace

// Shared with the thread, which may outlive the AgentLogin.
struct AgentLogin::Work {
  SshSession session;
  std::shared_ptr<const LoginKeys> keys;
  std::optional<AgentFilter> filter;
  base::FileDescriptor given_up = make_event();
  std::atomic<bool> is_given_up = false;
  std::atomic<bool> waits_for_key = false;
  int result = SSH_AUTH_ERROR;

  void run() {
    use_agent();
    while (!is_given_up) {
      waits_for_key = true;
      result = ssh_userauth_agent(session.get(), nullptr);
      waits_for_key = false;
      if (result != SSH_AUTH_AGAIN) return;
      wait_for_server();
    }
  }

  void use_agent() {
    if (keys->agent_keys) {
      filter.emplace(keys->agent_socket, *keys->agent_keys);
      ssh_set_agent_socket(session.get(), filter->take_socket().release());
    } else {
      ssh_options_set(session.get(), SSH_OPTIONS_IDENTITY_AGENT, keys->agent_socket.c_str());
    }
  }

  void wait_for_server() const {
    const int flags = ssh_get_poll_flags(session.get());
    const auto wanted = static_cast<short>(POLLIN | ((flags & SSH_WRITE_PENDING) != 0 ? POLLOUT : 0));
    std::array<pollfd, 2> polled{{{ssh_get_fd(session.get()), wanted, 0}, {given_up.get(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), beat_ms);
  }
};

AgentLogin::AgentLogin(SshSession session, std::shared_ptr<const LoginKeys> keys)
    : work_(std::make_shared<Work>()), task_([&] {
        work_->session = std::move(session);
        work_->keys = std::move(keys);
        return [work = work_] { work->run(); };
      }()) {}

AgentLogin::~AgentLogin() {
  work_->is_given_up = true;
  eventfd_write(work_->given_up.get(), 1);
}

bool AgentLogin::waits_for_key() const {
  return work_->waits_for_key;
}

SshSession AgentLogin::take_session() {
  return std::move(work_->session);
}

int AgentLogin::result() const {
  return work_->result;
}

}  // namespace adarun::launcher
