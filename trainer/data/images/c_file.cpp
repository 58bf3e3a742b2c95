// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/images/c_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/system_text.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

CFile checked(CFile opened, const std::filesystem::path& file) {
  if (!opened) throw Error(file.string() + ": cannot be opened: " + base::system_text(errno));
  return opened;
}

}  // namespace

CFile open_to_read(const std::filesystem::path& file) {
  // Without O_NONBLOCK, opening a pipe would block until there is a writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  CFile opened = checked(CFile(descriptor < 0 ? nullptr : ::fdopen(descriptor, "rb")), file);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(file.string() + ": not a regular file");
  }
  return opened;
}

}  // namespace adarun::trainer
