// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.h"

#include <unistd.h>

namespace adarun::base {

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace adarun::base
