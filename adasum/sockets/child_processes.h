// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "adasum/sockets/link.h"

namespace adasum::sockets {

/// Keeps connections out of processes that this one forks: there they become /dev/null. Otherwise the other
/// ranks would not see them end together with this process while such a child lives (a worker that loads
/// data), and a child that ends normally would say over them that this rank has left.
class KeptFromChildren {
 public:
  /// Borrows the sockets of `links` until it is destroyed; empty ones are ignored.
  explicit KeptFromChildren(std::span<const Link> links);
  ~KeptFromChildren();
  KeptFromChildren(const KeptFromChildren&) = delete;
  KeptFromChildren& operator=(const KeptFromChildren&) = delete;

 private:
  std::vector<int> descriptors_;
};

}  // namespace adasum::sockets
