// SPDX-License-Identifier: Apache-2.0
#include "base/unnamed_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace adarun::base {

std::filesystem::path temporary_folder() {
  std::error_code error;
  const auto found = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : found;
}

FileDescriptor unnamed_file() {
  FileDescriptor file(::open(temporary_folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file) return file;
  // A file system, or Linux before 3.11, that cannot do so.
  std::string name = temporary_folder() / "adarun-XXXXXX";
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file) ::unlink(name.c_str());
  return file;
}

FileDescriptor memory_file() {
  FileDescriptor file(::memfd_create("adarun", MFD_CLOEXEC));
  return file ? std::move(file) : unnamed_file();
}

}  // namespace adarun::base
