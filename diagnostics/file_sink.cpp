// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/file_sink.h"

#include <fcntl.h>
#include <spdlog/details/log_msg_buffer.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace adarun::diagnostics {
namespace {

constexpr mode_t shared_mode = 0644;  // As other logs of a job.
constexpr std::size_t most_kept_bytes = std::size_t{4} << 20U;
constexpr std::size_t predecessors = 1;

std::unique_ptr<spdlog::formatter> line_form() {
  return std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
                                                     spdlog::pattern_time_type::utc);
}

// spdlog creates files with mode 0666 less the umask, and without close-on-exec: these handlers correct both.
spdlog::file_event_handlers file_handlers() {
  spdlog::file_event_handlers handlers;
  handlers.before_open = [](const spdlog::filename_t& name) {
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, shared_mode);
    if (file >= 0) ::close(file);
  };
  handlers.after_open = [](const spdlog::filename_t& /*name*/, std::FILE* file) {
    ::fcntl(::fileno(file), F_SETFD, FD_CLOEXEC);
  };
  return handlers;
}

}  // namespace

class FileSink::Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void open(const std::string& name, std::size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    name_ = name;
    file_.reset();
    file_.emplace(name, most_bytes, predecessors, false, file_handlers());
    file_->set_formatter(line_form());
    for (const auto& message : kept_) file_->log(message);
    file_->flush();
    kept_.clear();
    keeps_ = false;
  }

  std::optional<std::string> give_up() {
    const std::lock_guard lock(mutex_);
    file_.reset();
    kept_.clear();
    keeps_ = false;
    return std::exchange(name_, std::nullopt);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (file_) return file_->log(message);
    const std::size_t bytes = sizeof(spdlog::details::log_msg_buffer) + message.payload.size();
    if (!keeps_ || kept_bytes_ + bytes > most_kept_bytes) return;
    kept_bytes_ += bytes;
    kept_.emplace_back(message);
  }
  void flush_() override {
    if (file_) file_->flush();
  }

 private:
  std::optional<std::string> name_;
  std::optional<spdlog::sinks::rotating_file_sink_st> file_;
  std::deque<spdlog::details::log_msg_buffer> kept_;
  std::size_t kept_bytes_ = 0;
  bool keeps_ = true;
};

FileSink::FileSink() : sink_(std::make_shared<Sink>()) {}

FileSink::~FileSink() = default;

std::shared_ptr<spdlog::sinks::sink> FileSink::sink() const {
  return sink_;
}

void FileSink::open(const std::string& file, std::size_t most_bytes) {
  sink_->open(file, most_bytes);
}

std::optional<std::string> FileSink::give_up() {
  return sink_->give_up();
}

}  // namespace adarun::diagnostics
