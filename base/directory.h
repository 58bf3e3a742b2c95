// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <memory>

namespace adarun::base {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// An open directory stream, closed at the end of its scope.
using Directory = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace adarun::base
