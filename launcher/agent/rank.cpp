// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/rank.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "launcher/agent/setback.h"
#include "launcher/posix/wall_clock.h"

namespace adarun::agent {

int Rank::output_fd(wire::Stream stream) const {
  if (child_.report) return -1;
  return (stream == wire::Stream::out ? child_.out : child_.err).get();
}

std::optional<wire::Message> Rank::read_report() {
  Setback setback;
  const ssize_t size = ::read(child_.report.get(), &setback, sizeof setback);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  child_.report.reset();
  failed_ = size == static_cast<ssize_t>(sizeof setback);
  if (failed_) return explain("rank " + std::to_string(number_) + ": ", program_, setback);
  return wire::Started{number_, static_cast<std::uint32_t>(pid()), posix::now_ns(), program_.environment};
}

std::optional<wire::Output> Rank::read_output(wire::Stream stream) {
  const int fd = output_fd(stream);
  if (fd < 0) return std::nullopt;
  wire::Output output{number_, stream, std::string(read_bytes, '\0')};
  const ssize_t size = ::read(fd, output.bytes.data(), output.bytes.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (size <= 0) {  // A terminal that no process holds open any more says EIO.
    (stream == wire::Stream::out ? child_.out : child_.err).reset();
    return std::nullopt;
  }
  output.bytes.resize(static_cast<std::size_t>(size));
  return output;
}

void Rank::reaped(int status, bool stopped_by_us, Clock::time_point now) {
  wire::Exited exited;
  exited.rank = number_;
  if (WIFSIGNALED(status)) {
    exited.signal = WTERMSIG(status);
    exited.core_dumped = WCOREDUMP(status);
  } else {
    exited.code = WEXITSTATUS(status);
  }
  exited.stopped_by_us = stopped_by_us;
  exited.time_ns = posix::now_ns();
  exited_ = exited;
  reaped_at_ = now;
}

std::optional<Clock::time_point> Rank::output_deadline() const {
  if (over_ || !exited_ || (!child_.out && !child_.err)) return std::nullopt;
  return reaped_at_ + linger;
}

void Rank::close_output() {
  child_.out.reset();
  child_.err.reset();
}

std::optional<wire::Exited> Rank::finish() {
  if (over_ || !exited_ || child_.report) return std::nullopt;
  if (failed_) close_output();
  if (child_.out || child_.err) return std::nullopt;
  over_ = true;
  return failed_ ? std::nullopt : exited_;
}

}  // namespace adarun::agent
