// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/json_lines.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <utility>

#include "base/new_file.h"
#include "base/system_text.h"
#include "trainer/base/error.h"
#include "trainer/callbacks/adasum_monitor.h"

namespace adarun::trainer {
namespace {

using Clock = std::chrono::steady_clock;

/// While it exists, a write of this thread to a pipe without a reader fails, and raises no SIGPIPE.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

/// Waits until `file` takes more, or has an error that the next write finds; false: it is `end`.
bool wait_until_writable(int file, Clock::time_point end) {
  pollfd waited{file, POLLOUT, 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    const int ready = ::poll(&waited, 1, static_cast<int>(left.count()));
    if (ready != 0 && !(ready < 0 && errno == EINTR)) return true;
  }
}

}  // namespace

LineFile::LineFile(std::string file, std::chrono::milliseconds timeout)
    : name_(std::move(file)), timeout_(timeout), file_(base::open_to_append(name_, 0666)) {
  if (file_) return;
  const bool is_unread = errno == ENXIO;
  throw Error(name_ + ": cannot be opened for writing: " +
              (is_unread ? "nobody reads from this pipe" : base::system_text(errno)));
}

void LineFile::write(const std::string& line) {
  const NoPipeSignal no_signal;
  const std::string whole = line + "\n";
  const Clock::time_point end = Clock::now() + timeout_;
  for (std::string_view left = whole; !left.empty();) {
    const ssize_t wrote = ::write(file_.get(), left.data(), left.size());
    if (wrote >= 0) {
      left.remove_prefix(static_cast<std::size_t>(wrote));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) throw Error(name_ + ": cannot be written: " + base::system_text(errno));
    if (!wait_until_writable(file_.get(), end))
      throw Error(name_ + ": cannot be written: its reader does not read");
  }
}

namespace {

constexpr std::chrono::seconds reader_timeout{10};

}  // namespace

using Json = nlohmann::ordered_json;

JsonLines::JsonLines(std::string file, Print print, Unopened unopened) : print_(std::move(print)) {
  try {
    out_.emplace(std::move(file), reader_timeout);
  } catch (const Error& error) {
    if (unopened == Unopened::is_an_error) throw;
    tell(error);
  }
}

void JsonLines::tell(const Error& error) {
  print_(std::string(error.what()) + "; the training continues without it");
}

void JsonLines::write(const std::string& line) {
  if (!out_) return;
  try {
    out_->write(line);
  } catch (const Error& error) {
    out_.reset();
    tell(error);
  }
}

double JsonLines::time_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void JsonLines::step_dropped(const Progress& at, int rank, double scale) {
  write(Json{
      {"event", "dropped"}, {"epoch", at.epoch}, {"step", at.step}, {"rank", rank}, {"loss_scale", scale}}
            .dump());
}

void JsonLines::step_end(const Progress& progress) {
  write(Json{{"event", "step"},
             {"epoch", progress.epoch},
             {"step", progress.step},
             {"loss", progress.loss},
             {"lr", progress.rate},
             {"time_s", time_s()}}
            .dump());
}

void JsonLines::adasum(const Progress& progress, const std::vector<LayerDiagnostics>& layers) {
  Json seen;
  for (const LayerDiagnostics& layer : layers) {
    seen[layer.name] = {
        {"cosine", layer.cosine}, {"orthogonality", layer.orthogonality}, {"to_sum", layer.to_sum}};
  }
  write(
      Json{{"event", "adasum"}, {"epoch", progress.epoch}, {"step", progress.step}, {"layers", seen}}.dump());
}

void JsonLines::epoch_end(const Progress& last) {
  write(Json{{"event", "epoch"}, {"epoch", last.epoch}, {"steps", last.step}, {"time_s", time_s()}}.dump());
}

}  // namespace adarun::trainer
