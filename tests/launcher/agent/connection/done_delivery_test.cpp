// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/done_delivery.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "launcher/agent/base/pipe.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher::agent {
namespace {

using State = DoneDelivery::State;

/// A channel and the launcher's ends of its pipes.
class DoneDeliveryToALauncher : public testing::Test {
 protected:
  /// Tells the channel that its launcher has all before `position`.
  void acknowledge(std::uint64_t position) {
    const std::string bytes = protocol::encode(protocol::Received{position});
    ASSERT_EQ(::write(to_.write.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ASSERT_TRUE(channel_.receive(Clock::now()));
    ASSERT_FALSE(channel_.next());
  }

  Pipe to_ = make_pipe();
  Pipe from_ = make_pipe();
  Channel channel_{Connection{std::move(to_.read), std::move(from_.write), {}}};
  const Clock::time_point now_ = Clock::now();
};

TEST_F(DoneDeliveryToALauncher, IsDeliveredWhenItIsWrittenWhereNobodyCanComeBack) {
  const DoneDelivery delivery(channel_, now_);
  EXPECT_EQ(delivery.state(now_), State::delivered);
}

TEST_F(DoneDeliveryToALauncher, IsOverWithAConnectionThatIsTheOnlyOne) {
  channel_.cut();
  const DoneDelivery delivery(channel_, now_);
  EXPECT_EQ(delivery.state(now_), State::delivered);
}

TEST_F(DoneDeliveryToALauncher, WaitsUntilALauncherThatMayComeBackHasSaidThatItHasIt) {
  channel_.keep_for_resume("", std::chrono::seconds{10});
  const DoneDelivery delivery(channel_, now_);
  EXPECT_EQ(delivery.state(now_ + std::chrono::hours{1}), State::waiting);
  acknowledge(channel_.position());
  EXPECT_EQ(delivery.state(now_), State::delivered);
}

TEST_F(DoneDeliveryToALauncher, ExpectsALauncherThatHasHungUpBackForAWhile) {
  channel_.keep_for_resume("", std::chrono::seconds{10});
  const DoneDelivery delivery(channel_, now_);
  channel_.cut();
  EXPECT_EQ(delivery.state(channel_.cut_at()), State::waiting);
  EXPECT_EQ(delivery.state(channel_.cut_at() + DoneDelivery::return_timeout), State::delivered);
}

TEST_F(DoneDeliveryToALauncher, IsGivenUpWhereNobodyIsThereAnyMore) {
  channel_.keep_for_resume("", std::chrono::seconds{10});
  channel_.cut();
  channel_.abandon();
  const DoneDelivery delivery(channel_, now_);
  EXPECT_EQ(delivery.state(now_), State::waiting);
  EXPECT_EQ(delivery.state(now_ + DoneDelivery::abandoned_timeout), State::given_up);
}

}  // namespace
}  // namespace adarun::launcher::agent
