// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/files/remove_content.h"

namespace adarun::launcher::agent {
namespace {

void write_all(int fd, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error("staged file \"" + name + "\": " + base::system_text(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

base::FileDescriptor open_folder(const std::string& path) {
  return base::FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Folder::Folder(std::string path) : path_(std::move(path)) {
  if (::mkdir(path_.c_str(), S_IRWXU) != 0)
    throw Error("folder \"" + path_ + "\" cannot be made: " + base::system_text(errno));
  fd_ = open_folder(path_);
  if (!fd_) throw Error("folder \"" + path_ + "\" cannot be opened: " + base::system_text(errno));
}

Folder Folder::adopt(std::string path) {
  base::FileDescriptor fd = open_folder(path);
  struct stat facts {};
  const bool ours = fd && ::fstat(fd.get(), &facts) == 0 && facts.st_uid == ::geteuid();
  return {std::move(path), ours ? std::move(fd) : base::FileDescriptor()};
}

Folder::~Folder() {
  if (!fd_) return;
  remove_content(fd_.get());
  ::rmdir(path_.c_str());
}

void Folder::remove_all_but(std::string_view name) const {
  if (fd_) remove_content(fd_.get(), name);
}

std::string Folder::make_inner(const std::string& name) {
  std::string path = path_ + '/' + name;
  if (::mkdirat(fd_.get(), name.c_str(), S_IRWXU) != 0)
    throw Error("folder \"" + path + "\" cannot be made: " + base::system_text(errno));
  return path;
}

void Folder::write(const std::string& name, const std::string& content) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    throw Error("staged file \"" + name + "\": wanted a plain file name");
  const base::FileDescriptor file(::openat(
      fd_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) throw Error("staged file \"" + name + "\": " + base::system_text(errno));
  write_all(file.get(), content, name);
}

}  // namespace adarun::launcher::agent
