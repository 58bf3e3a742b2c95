// SPDX-License-Identifier: Apache-2.0
#include "cli/session/attempts.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/options/placement.h"
#include "diagnostics/log.h"
#include "launcher/transport/local/local_reach.h"

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

// A job on two nodes with a spare: three agents on this machine.
class JobWithASpare : public testing::Test {
 protected:
  static LaunchOptions options_with(diagnostics::Log& log) {
    LaunchOptions options;
    options.hosts = "a:1,b:1";
    options.spares.spares = "c:1";
    options.reach = launcher::local_reach();
    options.agent = AGENT_PROGRAM;
    options.log = &log;
    return options;
  }

  Names hosts() const {
    Names names;
    for (const launcher::Host& host : attempts_.placement().hosts) names.push_back(host.name);
    return names;
  }

  /// Whether the spare has got as far as to the plan, which then fails; it may still be connecting.
  bool fails_to_plan() {
    const auto fail = [] { throw std::runtime_error("no plan"); };
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      try {
        attempts_.replace(1, fail);
      } catch (const std::runtime_error&) {
        return true;
      }
      pollfd news{transport_->ready_fd(), POLLIN, 0};
      poll(&news, 1, 100);
      transport_->take();
    }
    return false;
  }

  diagnostics::Log log_{"adarun"};
  const LaunchOptions options_ = options_with(log_);
  Attempts attempts_{options_, place(options_)};
  std::unique_ptr<launcher::Transport> transport_ = attempts_.connect();
};

TEST_F(JobWithASpare, KeepsItWhereTheJobCannotBePlannedAnew) {
  ASSERT_TRUE(fails_to_plan());
  EXPECT_EQ(hosts(), (Names{"a", "b"}));
  EXPECT_EQ(attempts_.replace(1, [] {}), "") << "it is still there";
  EXPECT_EQ(hosts(), (Names{"a", "c"}));
}

}  // namespace
}  // namespace adarun::cli
