// SPDX-License-Identifier: Apache-2.0
#include "base/log/file_sink.h"

#include <fcntl.h>
#include <spdlog/details/log_msg_buffer.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/output_folder.h"
#include "base/system_text.h"

namespace adarun::base {
namespace {

constexpr mode_t shared_mode = 0644;  // As other logs of a job.
constexpr std::size_t most_kept_bytes = std::size_t{4} << 20U;

std::unique_ptr<spdlog::formatter> line_form() {
  return std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
                                                     spdlog::pattern_time_type::utc);
}

// "adarun.log" -> "adarun.1.log".
std::string predecessor_of(const std::string& name) {
  const std::filesystem::path file(name);
  return file.stem().string() + ".1" + file.extension().string();
}

// Appends to a file of bounded size, whose predecessor is kept. Throws std::runtime_error.
class BoundedFile {
 public:
  BoundedFile(base::FileDescriptor folder, std::string name, std::size_t most_bytes)
      : folder_(std::move(folder)), name_(std::move(name)), most_bytes_(most_bytes) {
    file_ = base::open_own_file(folder_.get(), name_, O_WRONLY | O_APPEND | O_CREAT, shared_mode);
    struct stat facts {};
    if (!file_ || ::fstat(file_.get(), &facts) != 0) fail();
    size_ = static_cast<std::size_t>(facts.st_size);
  }

  void write(std::string_view line) {
    if (size_ > 0 && size_ + line.size() > most_bytes_) begin_next();
    size_ += line.size();
    while (!line.empty()) {
      const ssize_t wrote = ::write(file_.get(), line.data(), line.size());
      if (wrote < 0 && errno != EINTR) fail();
      if (wrote > 0) line.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }

 private:
  void begin_next() {
    const std::string predecessor = predecessor_of(name_);
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), predecessor.c_str()) != 0 && errno != ENOENT)
      fail();
    file_ = base::create_file(folder_.get(), name_, shared_mode);
    if (!file_) fail();
    size_ = 0;
  }

  [[noreturn]] static void fail() { throw std::runtime_error(base::system_text(errno)); }

  base::FileDescriptor folder_;
  std::string name_;
  std::size_t most_bytes_;
  std::size_t size_ = 0;
  base::FileDescriptor file_;
};

}  // namespace

class FileSink::Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Sink() : base_sink(line_form()) {}

  void open(const std::string& name, base::FileDescriptor folder, std::size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    name_ = name;
    file_.reset();
    file_.emplace(std::move(folder), std::filesystem::path(name).filename(), most_bytes);
    for (const auto& message : kept_) write(message);
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
    if (file_) return write(message);
    const std::size_t bytes = sizeof(spdlog::details::log_msg_buffer) + message.payload.size();
    if (!keeps_ || kept_bytes_ + bytes > most_kept_bytes) return;
    kept_bytes_ += bytes;
    kept_.emplace_back(message);
  }
  void flush_() override {}

 private:
  void write(const spdlog::details::log_msg& message) {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    file_->write({line.data(), line.size()});
  }

  std::optional<std::string> name_;
  std::optional<BoundedFile> file_;
  std::deque<spdlog::details::log_msg_buffer> kept_;
  std::size_t kept_bytes_ = 0;
  bool keeps_ = true;
};

FileSink::FileSink() : sink_(std::make_shared<Sink>()) {}

FileSink::~FileSink() = default;

std::shared_ptr<spdlog::sinks::sink> FileSink::sink() const {
  return sink_;
}

void FileSink::open(const std::string& file, base::FileDescriptor folder, std::size_t most_bytes) {
  sink_->open(file, std::move(folder), most_bytes);
}

std::optional<std::string> FileSink::give_up() {
  return sink_->give_up();
}

}  // namespace adarun::base
