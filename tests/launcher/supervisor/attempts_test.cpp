// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/attempts.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "launcher/hosts/host_list.h"
#include "launcher/plan/placement.h"
#include "launcher/plan/plan.h"
#include "launcher/transport/local/local_reach.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

// A job on two nodes with a spare: three agents on this machine.
class JobWithASpare : public testing::Test {
 protected:
  static JobOptions with_spares() {
    JobOptions options;
    options.spares.spares = "c:1";
    return options;
  }

  static ReachOptions on_this_machine(base::Log& log) {
    ReachOptions reach;
    reach.reach = local_reach();
    reach.agent = AGENT_PROGRAM;
    reach.log = &log;
    return reach;
  }

  static Placement placement() {
    Placement placed;
    placed.hosts = read_hosts("a:1,b:1");
    placed.table = table_of(placed.hosts);
    placed.spares = read_hosts("c:1");
    return placed;
  }

  Names hosts() const {
    Names names;
    for (const Host& host : attempts_.placement().hosts) names.push_back(host.name);
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

  base::Log log_{"adarun"};
  const JobOptions options_ = with_spares();
  const ReachOptions reach_ = on_this_machine(log_);
  Attempts attempts_{options_, reach_, placement()};
  std::unique_ptr<Transport> transport_ = attempts_.connect();
};

TEST_F(JobWithASpare, KeepsItWhereTheJobCannotBePlannedAnew) {
  ASSERT_TRUE(fails_to_plan());
  EXPECT_EQ(hosts(), (Names{"a", "b"}));
  EXPECT_EQ(attempts_.replace(1, [] {}), "") << "it is still there";
  EXPECT_EQ(hosts(), (Names{"a", "c"}));
}

}  // namespace
}  // namespace adarun::launcher
