// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace adarun::base {
namespace {

// Opens a part of a path in a folder. A link that is opened as a folder is ENOTDIR for the kernel.
FileDescriptor open_part(int folder, const std::string& name, int flags) {
  FileDescriptor opened(::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
  if (opened && ((flags & O_PATH) == 0 || (flags & O_DIRECTORY) != 0)) return opened;
  const int why = errno;
  struct stat facts {};
  // With O_PATH alone, the link itself is opened.
  const int seen =
      opened ? ::fstat(opened.get(), &facts) : ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW);
  const bool is_link = seen == 0 && S_ISLNK(facts.st_mode);
  if (is_link) opened.reset();
  errno = is_link ? ELOOP : why;
  return opened;
}

}  // namespace

std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

FileDescriptor open_no_links(const std::string& path, int flags) {
  const std::vector<std::string> parts = path_parts(path);
  if (path.empty() || parts.empty())
    return FileDescriptor(::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));  // "/" or nothing.
  FileDescriptor folder(::open(path.front() == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; folder && i + 1 < parts.size(); ++i)
    folder = open_part(folder.get(), parts[i], O_PATH | O_DIRECTORY);
  if (!folder) return {};
  if (path.back() == '/') flags |= O_DIRECTORY;
  return open_part(folder.get(), parts.back(), flags);
}

}  // namespace adarun::base
