// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/lease.h"

#include <gtest/gtest.h>

namespace adarun::launcher::agent {
namespace {

using std::chrono::seconds;

const Clock::time_point heard{seconds{100}};
const Clock::time_point cut_at{seconds{103}};

/// One of ten seconds.
class LeaseTest : public testing::Test {
 protected:
  LeaseTest() { lease_.set(seconds{10}); }

  Lease lease_;
};

TEST(Lease, EndsThatLongAfterTheLauncherWasHeard) {
  Lease lease;
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + start_timeout);
  lease.set(seconds{10});
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{10});
  EXPECT_EQ(lease.end(heard, cut_at), heard + seconds{10});
}

TEST_F(LeaseTest, HasNoEndWhileTheJobIsSuspendedOverAConnection) {
  lease_.suspend();
  EXPECT_EQ(lease_.end(heard, std::nullopt), std::nullopt);
  lease_.resume();
  EXPECT_EQ(lease_.end(heard, std::nullopt), heard + seconds{10});
}

TEST_F(LeaseTest, OfASuspendedJobCountsFromTheCutOfItsConnection) {
  lease_.suspend();
  EXPECT_EQ(lease_.end(heard, cut_at), cut_at + seconds{10});
  EXPECT_EQ(lease_.end(cut_at + seconds{1}, cut_at), cut_at + seconds{11}) << "heard over another connection";
}

TEST_F(LeaseTest, CountsForASuspendedJobThatIsBeingEnded) {
  lease_.suspend();
  lease_.ignore_suspension();
  EXPECT_EQ(lease_.end(heard, std::nullopt), heard + seconds{10});
  lease_.suspend();
  EXPECT_EQ(lease_.end(heard, std::nullopt), heard + seconds{10}) << "whenever it was suspended";
}

TEST_F(LeaseTest, GrowsByWhatThisProcessDidNotRunUntilMoreIsHeard) {
  lease_.excuse(heard, seconds{3}, seconds{4});
  EXPECT_EQ(lease_.end(heard, std::nullopt), heard + seconds{13});
  lease_.excuse(heard, seconds{3}, seconds{4});
  EXPECT_EQ(lease_.end(heard, std::nullopt), heard + seconds{14}) << "by the most at most";
  const Clock::time_point later = heard + seconds{12};
  EXPECT_EQ(lease_.end(later, std::nullopt), later + seconds{10});
  lease_.excuse(later, seconds{1}, seconds{4});
  EXPECT_EQ(lease_.end(later, std::nullopt), later + seconds{11});
}

TEST_F(LeaseTest, BearsWithABusyLauncherForTheTimeThatIsExcusedToo) {
  const Clock::time_point heard{};
  EXPECT_EQ(lease_.busy_end(heard), heard + seconds{60});
  lease_.excuse(heard, seconds{61}, std::chrono::hours{1});  // The whole machine had no processor time.
  lease_.bear(heard, seconds{1});
  EXPECT_EQ(lease_.end(heard, std::nullopt), heard + seconds{72});
  EXPECT_EQ(lease_.busy_end(heard), heard + seconds{121});
  const Clock::time_point later = heard + seconds{90};
  EXPECT_EQ(lease_.busy_end(later), later + seconds{60});
}

TEST_F(LeaseTest, IsMadeShorterByALimitAndNeverLonger) {
  lease_.limit(seconds{20});
  EXPECT_EQ(lease_.length(), seconds{10});
  lease_.limit(seconds{5});
  EXPECT_EQ(lease_.length(), seconds{5});
}

}  // namespace
}  // namespace adarun::launcher::agent
