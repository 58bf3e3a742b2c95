// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/lease.h"

#include <gtest/gtest.h>

namespace adarun::launcher::agent {
namespace {

using std::chrono::seconds;

const Clock::time_point heard{seconds{100}};
const Clock::time_point cut_at{seconds{103}};

TEST(Lease, EndsThatLongAfterTheLauncherWasHeard) {
  Lease lease;
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + start_timeout);
  lease.set(seconds{10});
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{10});
  EXPECT_EQ(lease.end(heard, cut_at), heard + seconds{10});
}

TEST(Lease, HasNoEndWhileTheJobIsSuspendedOverAConnection) {
  Lease lease;
  lease.set(seconds{10});
  lease.suspend();
  EXPECT_EQ(lease.end(heard, std::nullopt), std::nullopt);
  lease.resume();
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{10});
}

TEST(Lease, OfASuspendedJobCountsFromTheCutOfItsConnection) {
  Lease lease;
  lease.set(seconds{10});
  lease.suspend();
  EXPECT_EQ(lease.end(heard, cut_at), cut_at + seconds{10});
  EXPECT_EQ(lease.end(cut_at + seconds{1}, cut_at), cut_at + seconds{11}) << "heard over another connection";
}

TEST(Lease, CountsForASuspendedJobThatIsBeingEnded) {
  Lease lease;
  lease.set(seconds{10});
  lease.suspend();
  lease.ignore_suspension();
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{10});
  lease.suspend();
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{10}) << "whenever it was suspended";
}

TEST(Lease, GrowsByWhatThisProcessDidNotRunUntilMoreIsHeard) {
  Lease lease;
  lease.set(seconds{10});
  lease.excuse(heard, seconds{3}, seconds{4});
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{13});
  lease.excuse(heard, seconds{3}, seconds{4});
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{14}) << "by the most at most";
  const Clock::time_point later = heard + seconds{12};
  EXPECT_EQ(lease.end(later, std::nullopt), later + seconds{10});
  lease.excuse(later, seconds{1}, seconds{4});
  EXPECT_EQ(lease.end(later, std::nullopt), later + seconds{11});
}

TEST(Lease, BearsWithABusyLauncherForTheTimeThatIsExcusedToo) {
  const Clock::time_point heard{};
  Lease lease;
  lease.set(seconds{10});
  EXPECT_EQ(lease.busy_end(heard), heard + seconds{60});
  lease.excuse(heard, seconds{61}, std::chrono::hours{1});  // The whole machine had no processor time.
  lease.bear(heard, seconds{1});
  EXPECT_EQ(lease.end(heard, std::nullopt), heard + seconds{72});
  EXPECT_EQ(lease.busy_end(heard), heard + seconds{121});
  const Clock::time_point later = heard + seconds{90};
  EXPECT_EQ(lease.busy_end(later), later + seconds{60});
}

TEST(Lease, IsMadeShorterByALimitAndNeverLonger) {
  Lease lease;
  lease.set(seconds{10});
  lease.limit(seconds{20});
  EXPECT_EQ(lease.length(), seconds{10});
  lease.limit(seconds{5});
  EXPECT_EQ(lease.length(), seconds{5});
}

}  // namespace
}  // namespace adarun::launcher::agent
