// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/system_text.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using ByteSpan = std::span<const std::byte>;

/// A file that is open for writing.
class OutputFile {
 public:
  explicit OutputFile(const fs::path& file)
      : name_(file.string()), file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail();
  }
  ~OutputFile() { ::close(file_); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(ByteSpan bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
      if (wrote < 0 && errno != EINTR) fail();
      if (wrote > 0) bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
  }

  void sync() {
    if (::fsync(file_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const { throw Error(name_ + ": cannot be written: " + base::system_text(errno)); }

  std::string name_;
  int file_;
};

/// Flushes the names in `folder` to disk.
void sync_folder(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  ::fsync(opened);
  ::close(opened);
}

}  // namespace

void replace_durably(const fs::path& file, const std::vector<ByteSpan>& bytes) {
  const fs::path unfinished = file.string() + unfinished_suffix;
  try {
    OutputFile output(unfinished);
    for (const ByteSpan part : bytes) output.write(part);
    output.sync();
    std::error_code error;
    fs::rename(unfinished, file, error);
    if (error) throw Error(file.string() + ": cannot be written: " + error.message());
  } catch (const Error&) {
    std::error_code gone;
    fs::remove(unfinished, gone);  // It may be what fills the disk.
    throw;
  }
  sync_folder(file.parent_path());
}

}  // namespace adarun::trainer
