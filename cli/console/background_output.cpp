// SPDX-License-Identifier: Apache-2.0
#include "cli/console/background_output.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/signals.h"

namespace adarun::cli {
namespace {

constexpr std::size_t room_bytes = 4U << 20U;
constexpr std::size_t most_waiting_bytes = 64U << 20U;
constexpr std::size_t piece_bytes = 16U << 10U;
constexpr std::chrono::milliseconds between_questions{20};

// Writes all bytes, however long that takes, unless it is told to give up: another may write there from then
// on, and at most one piece comes in between. Returns false on a write error.
bool write_all(int fd, std::string_view bytes, const std::atomic<bool>& given_up) {
  while (!bytes.empty() && !given_up) {
    const ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), piece_bytes));
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EAGAIN) {
      pollfd writable{fd, POLLOUT, 0};
      poll(&writable, 1, static_cast<int>(between_questions.count()));
    } else if (count < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool lead_to_one_place(int left, int right) {
  struct stat left_is {};
  struct stat right_is {};
  return fstat(left, &left_is) == 0 && fstat(right, &right_is) == 0 && left_is.st_dev == right_is.st_dev &&
         left_is.st_ino == right_is.st_ino;
}

}  // namespace

class BackgroundOutput::Queue {
 public:
  static std::shared_ptr<Queue> start() {
    auto queue = std::make_shared<Queue>();
    base::start_quiet_thread([queue] { queue->write_out(); }).detach();
    return queue;
  }

  void add(int fd, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (waiting_bytes_ + bytes.size() > most_waiting_bytes) {
      has_dropped_ = true;
      return;
    }
    waiting_bytes_ += bytes.size();
    if (pending_.empty() || pending_.back().first != fd)
      pending_.emplace_back(fd, bytes);
    else
      pending_.back().second += bytes;
    changed_.notify_all();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  std::size_t waiting_bytes() const {
    const std::lock_guard lock(mutex_);
    return waiting_bytes_;
  }

  bool out_failed() const { return out_failed_; }
  bool has_dropped() const { return has_dropped_; }

  // Whether everything was written within the time.
  bool wait_until_empty(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this] { return waiting_bytes_ == 0; });
  }

  // Runs in the writing thread until close().
  void write_out() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !pending_.empty(); });
      if (closed_) return;
      const auto [fd, bytes] = std::move(pending_.front());
      pending_.pop_front();
      const bool usable = broken_.count(fd) == 0;
      lock.unlock();
      const bool written = usable && write_all(fd, bytes, closed_);
      // The kernel sends SIGPIPE to the thread that wrote; the job waits for it on another thread.
      if (usable && !written && errno == EPIPE) kill(getpid(), SIGPIPE);
      lock.lock();
      if (!written) note_broken(fd);
      waiting_bytes_ -= bytes.size();
      changed_.notify_all();
    }
  }

 private:
  void note_broken(int fd) {
    broken_.insert(fd);
    if (fd == STDOUT_FILENO) out_failed_ = true;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<int, std::string>> pending_;  ///< Each with its descriptor, the oldest first.
  std::size_t waiting_bytes_ = 0;                    ///< Includes what is being written.
  std::set<int> broken_;
  std::atomic<bool> out_failed_ = false;
  std::atomic<bool> has_dropped_ = false;
  std::atomic<bool> closed_ = false;  ///< Set under the mutex.
};

struct BackgroundOutput::Target {
  Queue& queue;
  int fd;
  bool is_terminal = isatty(fd) != 0;

  bool has_room() const { return is_terminal || queue.waiting_bytes() < room_bytes; }

  static ssize_t write(void* target, const char* bytes, std::size_t size) {
    auto* self = static_cast<Target*>(target);
    self->queue.add(self->fd, {bytes, size});
    return static_cast<ssize_t>(size);
  }
};

BackgroundOutput::BackgroundOutput(int out_fd)
    : out_queue_(Queue::start()),
      err_queue_(lead_to_one_place(out_fd, STDERR_FILENO) ? out_queue_ : Queue::start()),
      out_target_(new Target{*out_queue_, out_fd}),
      err_target_(new Target{*err_queue_, STDERR_FILENO}),
      out_(stream_to(*out_target_)),
      err_(stream_to(*err_target_)) {}

BackgroundOutput::~BackgroundOutput() {
  out_queue_->close();
  err_queue_->close();
}

base::CFile BackgroundOutput::stream_to(Target& target) {
  std::FILE* stream = fopencookie(&target, "w", {nullptr, Target::write, nullptr, nullptr});
  if (stream == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot make an output stream");
  return base::CFile(stream);
}

std::FILE* BackgroundOutput::own_out() const {
  return out_target_->fd == STDERR_FILENO ? stderr : stdout;
}

bool BackgroundOutput::has_room() const {
  return out_target_->has_room() && err_target_->has_room();
}

bool BackgroundOutput::is_terminal(std::FILE* stream) const {
  return target_of(stream).is_terminal;
}

std::size_t BackgroundOutput::waiting_bytes(std::FILE* stream) const {
  return target_of(stream).queue.waiting_bytes();
}

bool BackgroundOutput::drain(std::FILE* stream, const std::function<bool()>& continues) {
  std::fflush(stream);
  Queue& queue = target_of(stream).queue;
  while (!queue.wait_until_empty(between_questions))
    if (!continues()) return false;
  return true;
}

bool BackgroundOutput::out_failed() const {
  return out_queue_->out_failed();
}

bool BackgroundOutput::has_dropped() const {
  return out_queue_->has_dropped() || err_queue_->has_dropped();
}

}  // namespace adarun::cli
