// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/poll.h"

#include <algorithm>
#include <cerrno>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"

namespace adarun::launcher::agent {

void Poll::watch(int fd, short events, std::function<void()> ready) {
  if (fd < 0) return;
  fds_.push_back({fd, events, 0});
  ready_.push_back(std::move(ready));
}

void Poll::until(std::optional<Clock::time_point> moment) {
  if (moment) until_ = until_ ? std::min(*until_, *moment) : *moment;
}

Clock::duration Poll::wait() {
  using std::chrono::milliseconds;
  constexpr milliseconds longest{60'000};
  const Clock::time_point begin = Clock::now();
  milliseconds timeout = longest;
  if (until_)
    timeout = std::clamp(std::chrono::ceil<milliseconds>(*until_ - begin), milliseconds{0}, longest);
  const int count = ::poll(fds_.data(), fds_.size(), static_cast<int>(timeout.count()));
  if (count < 0 && errno != EINTR) throw Error("poll: " + base::system_text(errno));
  const Clock::duration late = std::max(Clock::now() - begin - timeout, Clock::duration::zero());
  for (std::size_t i = 0; count > 0 && i < fds_.size(); ++i)
    if (fds_[i].revents != 0) ready_[i]();
  return late;
}

}  // namespace adarun::launcher::agent
