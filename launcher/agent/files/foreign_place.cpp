// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/foreign_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace adarun::launcher::agent {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Whether anyone may make entries in `folder`, as one of which it has `inner`. What is mounted there is the
// machine's.
bool may_be_made_by_anyone(const struct stat& inner, const std::string& folder) {
  constexpr mode_t for_anyone = S_ISVTX | S_IWOTH;
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && (facts.st_mode & for_anyone) == for_anyone &&
         facts.st_dev == inner.st_dev;
}

}  // namespace

std::optional<std::string> foreign_place(std::string path) {
  while (path != "/" && path != ".") {
    std::string folder = folder_of(path);
    struct stat facts {};
    const bool is_ours =
        ::lstat(path.c_str(), &facts) != 0 || facts.st_uid == ::geteuid() || facts.st_uid == 0;
    if (!is_ours && may_be_made_by_anyone(facts, folder)) return path;
    path = std::move(folder);
  }
  return std::nullopt;
}

}  // namespace adarun::launcher::agent
