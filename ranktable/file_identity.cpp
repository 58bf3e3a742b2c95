// SPDX-License-Identifier: Apache-2.0
#include "ranktable/file_identity.h"

#include <sys/stat.h>

namespace adarun::ranktable {

std::optional<FileIdentity> identity_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

}  // namespace adarun::ranktable
