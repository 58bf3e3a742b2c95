// SPDX-License-Identifier: Apache-2.0
#include "base/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/new_file.h"
#include "base/system_text.h"

namespace adarun::base {
namespace {

namespace fs = std::filesystem;

constexpr mode_t private_mode = 0600;
constexpr mode_t folder_mode = ACCESSPERMS & ~S_IWOTH;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(path.string() + ": " + reason);
}

FileDescriptor open_or_make(const fs::path& path) {
  std::error_code ignored;  // Opening it says what is wrong.
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  if (::mkdir(path.c_str(), folder_mode) != 0 && errno != EEXIST)
    refuse(path, "cannot make this folder: " + system_text(errno));
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) refuse(path, "cannot open this folder: " + system_text(errno));
  return folder;
}

// Why files of this user must not be made in the folder; empty: they may. Some file systems know no users, or
// show others (NFS for root), and some know no modes: a file made there tells.
std::string reason_against(int folder, const struct stat& facts) {
  bool ours = is_ours(facts);
  bool open_to_all = (facts.st_mode & S_IWOTH) != 0;
  if (ours && !open_to_all) return "";
  struct stat made {};
  const NewFile probe(folder, ".adarun", private_mode);
  if (probe && ::fstat(probe.fd(), &made) == 0) {
    ours = ours || made.st_uid == facts.st_uid;
    open_to_all = open_to_all && (made.st_mode & S_IWOTH) == 0;
  }
  if (!ours) return "belongs to another user (uid " + std::to_string(facts.st_uid) + ")";
  return open_to_all ? "any user may write there" : "";
}

bool is_link_of_another(const fs::path& path, uid_t owner_of_folder) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) && !is_ours(facts) &&
         facts.st_uid != owner_of_folder;
}

FileDescriptor open_file_of(uid_t owner, int folder, const std::string& name, int flags, mode_t mode) {
  constexpr int always = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;  // A pipe is not waited for.
  const int existing = (flags & ~(O_CREAT | O_TRUNC)) | always;
  FileDescriptor file(::openat(folder, name.c_str(), existing));
  if (!file && errno == ENOENT && (flags & O_CREAT) != 0) {
    file = FileDescriptor(::openat(folder, name.c_str(), flags | O_EXCL | always, mode));
    if (file || errno != EEXIST) return file;
    file = FileDescriptor(::openat(folder, name.c_str(), existing));  // Another process has made it.
  }
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return {};
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1 || (!is_ours(facts) && facts.st_uid != owner)) {
    errno = EACCES;
    return {};
  }
  if ((flags & O_TRUNC) != 0 && ::ftruncate(file.get(), 0) != 0) return {};
  return file;
}

}  // namespace

FileDescriptor create_file(int folder, const std::string& name, mode_t mode) {
  constexpr int tries = 10;  // Another process may create it meanwhile.
  for (int i = 0; i < tries; ++i) {
    FileDescriptor file(
        ::openat(folder, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (file || errno != EEXIST) return file;
    if (::unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT) return {};
  }
  errno = EEXIST;
  return {};
}

FileDescriptor open_own_file(int folder, const std::string& name, int flags, mode_t mode) {
  return open_file_of(::geteuid(), folder, name, flags, mode);
}

OutputFolder::OutputFolder(const fs::path& path)
    : path_(path.has_filename() ? path : path.parent_path()), folder_(open_or_make(path_)) {
  refuse_others();
}

OutputFolder::OutputFolder(FileDescriptor folder, fs::path path)
    : path_(std::move(path)), folder_(std::move(folder)) {
  refuse_others();
}

FileDescriptor OutputFolder::open_file(const std::string& name, int flags, mode_t mode) const {
  struct stat facts {};
  if (::fstat(folder_.get(), &facts) != 0) return {};
  return open_file_of(facts.st_uid, folder_.get(), name, flags, mode);
}

void OutputFolder::refuse_others() const {
  struct stat facts {};
  if (::fstat(folder_.get(), &facts) != 0) refuse(path_, system_text(errno));
  std::string reason = reason_against(folder_.get(), facts);
  if (reason.empty() && is_link_of_another(path_, facts.st_uid)) reason = "a link that another user has made";
  if (!reason.empty()) refuse(path_, reason + ": no files are written there");
}

}  // namespace adarun::base
