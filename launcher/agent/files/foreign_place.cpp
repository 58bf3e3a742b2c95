// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/files/foreign_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace adarun::launcher::agent {
namespace {

// Whether anyone may make entries in `folder`, as one of which it has `inner`. What is mounted there is the
// machine's.
bool may_be_made_by_anyone(const struct stat& inner, const std::filesystem::path& folder) {
  constexpr mode_t for_anyone = S_ISVTX | S_IWOTH;
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && (facts.st_mode & for_anyone) == for_anyone &&
         facts.st_dev == inner.st_dev;
}

}  // namespace

std::optional<std::string> foreign_place(const std::string& path) {
  for (std::filesystem::path place = path; place.has_relative_path() && place != ".";
       place = place.parent_path()) {
    struct stat facts {};
    const bool is_ours =
        ::lstat(place.c_str(), &facts) != 0 || facts.st_uid == ::geteuid() || facts.st_uid == 0;
    if (!is_ours && may_be_made_by_anyone(facts, place.has_parent_path() ? place.parent_path() : "."))
      return place;
  }
  return std::nullopt;
}

}  // namespace adarun::launcher::agent
