// SPDX-License-Identifier: Apache-2.0
#include "base/file_limit.h"

namespace adarun::base {

FileLimit::FileLimit() {
  getrlimit(RLIMIT_NOFILE, &before_);
  rlimit most = before_;
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_NOFILE, &most);
}

FileLimit::~FileLimit() {
  give_back(0);
}

void FileLimit::give_back(pid_t child) const {
  prlimit(child, RLIMIT_NOFILE, &before_, nullptr);
}

}  // namespace adarun::base
