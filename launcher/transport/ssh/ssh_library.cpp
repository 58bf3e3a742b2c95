// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_library.h"

#include <libssh/libssh.h>

namespace adarun::launcher {

base::Fact ssh_library() {
  const std::string built = std::to_string(LIBSSH_VERSION_MAJOR) + "." +
                            std::to_string(LIBSSH_VERSION_MINOR) + "." + std::to_string(LIBSSH_VERSION_MICRO);
  const std::string running = ssh_version(0);  // "0.10.6/openssl/zlib"
  return {"libssh", base::library_version(running.substr(0, running.find('/')), built)};
}

}  // namespace adarun::launcher
