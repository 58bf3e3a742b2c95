// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/link.h"

#include <thread>
#include <utility>

namespace adarun::launcher {

void ClosingLinks::add(std::unique_ptr<Link> link) {
  if (link) links_.push_back(std::move(link));
}

void ClosingLinks::advance() {
  std::erase_if(links_, [](const std::unique_ptr<Link>& link) { return link->close(); });
}

void ClosingLinks::finish(std::chrono::milliseconds most_time) {
  constexpr std::chrono::milliseconds pause{2};
  const auto deadline = std::chrono::steady_clock::now() + most_time;
  for (advance(); !links_.empty() && std::chrono::steady_clock::now() < deadline; advance())
    std::this_thread::sleep_for(pause);
}

}  // namespace adarun::launcher
