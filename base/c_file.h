// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>

namespace adarun::base {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT: what it is for
};

/// A stdio stream, closed at the end of its scope.
using CFile = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace adarun::base
