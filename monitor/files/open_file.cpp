// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/open_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_text.h"
#include "monitor/base/error.h"

namespace adarun::monitor {

OpenFile::OpenFile(const std::filesystem::path& path)
    : path_(path.string()), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!file_) fail();
}

std::uint64_t OpenFile::size() const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail();
  if (!S_ISREG(status.st_mode)) throw Error(path_ + ": not a regular file; wanted a log file");
  return static_cast<std::uint64_t>(status.st_size);
}

void OpenFile::read(std::string& bytes, std::size_t wanted, std::uint64_t offset) const {
  bytes.resize(wanted);
  std::size_t have = 0;
  while (have < wanted) {
    const ssize_t got =
        pread(file_.get(), bytes.data() + have, wanted - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
}

void OpenFile::fail() const {
  throw Error(path_ + ": cannot be read: " + base::system_text(errno));
}

}  // namespace adarun::monitor
