// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>

#include "tests/launcher/agent/job.h"

namespace adarun::launcher::agent {

/// While it lives, programs find a libpmix.so.2 that is not a library.
class WithoutPmix {
 public:
  WithoutPmix() {
    std::ofstream(folder_.path() / "libpmix.so.2") << "no library\n";
    ::setenv("LD_LIBRARY_PATH", folder_.path().c_str(), 1);
  }
  ~WithoutPmix() { ::unsetenv("LD_LIBRARY_PATH"); }

 private:
  JobFolder folder_;
};

}  // namespace adarun::launcher::agent
