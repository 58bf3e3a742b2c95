// SPDX-License-Identifier: Apache-2.0
#include "launcher/posix/file_descriptor.h"

#include <unistd.h>

namespace adarun::posix {

void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace adarun::posix
