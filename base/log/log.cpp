// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.h"

#include <fcntl.h>
#include <spdlog/details/log_msg_buffer.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/output_folder.h"
#include "base/system_text.h"

namespace adarun::base {
namespace {

constexpr std::size_t least_secret_bytes = 4;
constexpr std::size_t most_line_bytes = 4096;
constexpr std::size_t most_text_bytes = 64U << 10U;  // The rest of a text is cut before secrets are searched.

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      break;
  }
  return spdlog::level::err;
}

// Writes each line unchanged.
class ConsoleSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ConsoleSink(std::string program) : program_(std::move(program)) {}

  void divert(Log::Console console) {
    const std::lock_guard lock(mutex_);
    console_ = std::move(console);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string line(message.payload.data(), message.payload.size());
    if (console_)
      console_(line);
    else
      std::fprintf(stderr, "%s: %s\n", program_.c_str(), line.c_str());
  }
  void flush_() override {}

 private:
  std::string program_;
  Log::Console console_;
};

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
  BoundedFile(FileDescriptor folder, std::string name, std::size_t most_bytes)
      : folder_(std::move(folder)), name_(std::move(name)), most_bytes_(most_bytes) {
    file_ = open_own_file(folder_.get(), name_, O_WRONLY | O_APPEND | O_CREAT, shared_mode);
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
    file_ = create_file(folder_.get(), name_, shared_mode);
    if (!file_) fail();
    size_ = 0;
  }

  [[noreturn]] static void fail() { throw std::runtime_error(system_text(errno)); }

  FileDescriptor folder_;
  std::string name_;
  std::size_t most_bytes_;
  std::size_t size_ = 0;
  FileDescriptor file_;
};

// The sink of a log's file: buffers up to 4 MiB of lines until a file is opened.
class FileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FileSink() : base_sink(line_form()) {}

  // Writes the buffered lines and all later ones to `name`, whose folder is open as `folder`: at most
  // `most_bytes` there, and as much again in one predecessor. Throws std::exception.
  void open(const std::string& name, FileDescriptor folder, std::size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    name_ = name;
    file_.reset();
    file_.emplace(std::move(folder), std::filesystem::path(name).filename(), most_bytes);
    for (const auto& message : kept_) write(message);
    kept_.clear();
    keeps_ = false;
  }

  // Stops writing and buffering. Returns the file's name; nothing if there is no file or this was called
  // before.
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

void replace_all(std::string& text, const std::string& word) {
  constexpr std::string_view stars = "***";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + stars.size()))
    text.replace(at, word.size(), stars);
}

}  // namespace

struct Log::Parts {
  explicit Parts(const std::string& program)
      : console_sink(std::make_shared<ConsoleSink>(program)),
        file_sink(std::make_shared<FileSink>()),
        console(program, console_sink),
        file(program, file_sink) {
    console.set_level(spdlog::level::warn);
    console.set_error_handler([](const std::string&) {});  // There is nowhere left to report it.
    file.set_level(spdlog::level::debug);
    file.flush_on(spdlog::level::debug);  // Otherwise the last lines before a kill would be missing.
    file.set_error_handler([this](const std::string& error) { go_without_file(error); });
  }

  // spdlog's message ends with the system's.
  void go_without_file(const std::string& error) {
    const std::optional<std::string> name = file_sink->give_up();
    if (!name) return;
    const std::size_t colon = error.rfind(": ");
    console.warn("{}: cannot write this file: {}; continuing without it", *name,
                 clean_line(colon == std::string::npos ? error : error.substr(colon + 2)));
  }

  // The folder is opened anew: who else has it open may have a lock on it.
  void open_file(const std::string& file, int at, const std::string& folder, std::size_t most_bytes) {
    FileDescriptor opened(::openat(at, folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    try {
      file_sink->open(file, std::move(opened), most_bytes);
    } catch (const std::exception& error) {
      go_without_file(error.what());
    }
  }

  std::string hidden(std::string_view text) {
    std::string line(text.substr(0, most_text_bytes));
    const std::lock_guard lock(secrets_mutex);
    for (const std::string& secret : secrets) replace_all(line, secret);
    return line;
  }

  std::shared_ptr<ConsoleSink> console_sink;
  std::shared_ptr<FileSink> file_sink;
  spdlog::logger console;
  spdlog::logger file;
  std::mutex secrets_mutex;
  std::vector<std::string> secrets;
};

Log::Log(const std::string& program) : parts_(std::make_unique<Parts>(program)) {}

Log::~Log() = default;

void Log::show(Level least) {
  parts_->console.set_level(level_of(least));
}

bool Log::shows(Level level) const {
  return parts_->console.should_log(level_of(level));
}

void Log::divert(Console console) {
  parts_->console_sink->divert(std::move(console));
}

void Log::open_file(const std::string& file, std::size_t most_bytes) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  parts_->open_file(file, AT_FDCWD, folder.empty() ? "." : folder, most_bytes);
}

void Log::open_file_in(const OutputFolder& folder, const std::string& name) {
  parts_->open_file(folder.path() / name, folder.fd(), ".", file_bytes);
}

void Log::hide(std::string secret) {
  if (secret.size() < least_secret_bytes) return;
  const std::lock_guard lock(parts_->secrets_mutex);
  // Longest first: one secret may contain another.
  std::vector<std::string>& secrets = parts_->secrets;
  if (std::find(secrets.begin(), secrets.end(), secret) != secrets.end()) return;
  const auto at = std::find_if(secrets.begin(), secrets.end(),
                               [&](const std::string& each) { return each.size() < secret.size(); });
  secrets.insert(at, std::move(secret));
}

void Log::write(Level level, std::string_view node, std::string_view text) {
  const spdlog::level::level_enum value = level_of(level);
  const std::string line = clean_line(parts_->hidden(text), most_line_bytes);
  if (parts_->console.should_log(value)) {
    const std::string before = node.empty() ? "" : std::string(node) + ": ";
    parts_->console.log(value, spdlog::string_view_t(before + (level == Level::debug ? line
                                                               : node.empty()        ? clean_lines(text)
                                                                                     : clean_line(text))));
  }
  const std::string about = node.empty() ? "-" : clean_line(node);
  parts_->file.log(value, spdlog::string_view_t(about + " " + line));
}

}  // namespace adarun::base
