// SPDX-License-Identifier: Apache-2.0
#include "cli/console/user_input.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/signals.h"

namespace adarun::cli {

UserInput::UserInput(Keys keys) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours, signal);
  for (const int signal : base::ignored_terminal_signals()) sigdelset(&ours, signal);
  sigprocmask(SIG_BLOCK, &ours, &mask_);
  signals_ = base::FileDescriptor(signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC));
  taken_ = base::FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  end_ = base::FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!signals_ || !taken_ || !end_)
    throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
  if (keys == Keys::read && tcgetpgrp(STDIN_FILENO) == getpgrp()) read_keys();
  watch_ = base::start_quiet_thread([this] { end_if_standing_still(); });
}

void UserInput::read_keys() {
  termios terminal{};
  if (tcgetattr(STDIN_FILENO, &terminal) != 0) return;
  terminal_ = terminal;
  terminal.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
}

UserInput::~UserInput() {
  eventfd_write(end_.get(), 1);
  watch_.join();
  restore_terminal();
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

void UserInput::restore_terminal() const {
  if (terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &*terminal_);
}

// wait() takes a signal at once, so that one which is still pending is one that nobody waits for. After that,
// the command has only its last words to write.
void UserInput::end_if_standing_still() const {
  std::array<pollfd, 3> watched{pollfd{end_.get(), POLLIN, 0}, pollfd{signals_.get(), POLLIN, 0},
                                pollfd{taken_.get(), POLLIN, 0}};
  for (;;) {
    poll(watched.data(), watched.size(), -1);
    const bool is_taken = watched[2].revents != 0;
    const auto time = is_taken ? time_to_end : timeout;
    if (watched[0].revents == 0) poll(watched.data(), 1, static_cast<int>(time.count()));
    if (watched[0].revents != 0) return;
    poll(&watched[1], 1, 0);
    if (watched[1].revents == 0 && !is_taken) continue;
    restore_terminal();
    // As _exit(), but for thread sanitizer's, which flushes the stream that this process is blocked on.
    syscall(SYS_exit_group, 128 + SIGINT);
  }
}

UserInput::Event UserInput::interrupt() const {
  eventfd_write(taken_.get(), 1);
  return Event::interrupt;
}

UserInput::Event UserInput::wait(std::chrono::milliseconds at_most) {
  std::array<pollfd, 2> watched{pollfd{signals_.get(), POLLIN, 0}, pollfd{STDIN_FILENO, POLLIN, 0}};
  if (poll(watched.data(), terminal_ ? 2 : 1, static_cast<int>(at_most.count())) <= 0) return Event::none;
  if (watched[0].revents != 0) {
    signalfd_siginfo told{};
    if (read(signals_.get(), &told, sizeof told) == sizeof told) return interrupt();
  }
  if (watched[1].revents == 0) return Event::none;
  std::array<char, 64> bytes{};
  const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got == 0) return interrupt();  // the terminal is gone
  if (got < 0) return Event::none;
  typed_.assign(bytes.data(), static_cast<std::size_t>(got));
  return Event::keys;
}

}  // namespace adarun::cli
