// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/observer.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

// Records the calls that it gets, each after its name.
class NotingObserver : public JobObserver {
 public:
  NotingObserver(std::string name, std::string& notes) : name_(std::move(name)), notes_(notes) {}

  void on_notice(const std::string& text) override { notes_ += name_ + text + " "; }
  std::optional<std::uint64_t> step_of(std::uint32_t) const override { return step; }
  bool has_room() const override { return room; }

  std::optional<std::uint64_t> step;
  bool room = true;

 private:
  std::string name_;
  std::string& notes_;
};

struct ObserversTest : testing::Test {
  std::string notes;
  NotingObserver first{"a", notes};
  NotingObserver second{"b", notes};
  Observers observers{{&first, &second}};
};

TEST_F(ObserversTest, AreToldInTheirOrder) {
  observers.on_notice("1");
  observers.on_notice("2");
  EXPECT_EQ(notes, "a1 b1 a2 b2 ");
}

TEST_F(ObserversTest, KnowAStepWhereOneOfThemDoes) {
  EXPECT_EQ(observers.step_of(0), std::nullopt);
  second.step = 7;
  EXPECT_EQ(observers.step_of(0), 7U);
  first.step = 5;
  EXPECT_EQ(observers.step_of(0), 5U) << "the first one that knows";
}

TEST_F(ObserversTest, HaveRoomWhereAllOfThemHave) {
  EXPECT_TRUE(observers.has_room());
  second.room = false;
  EXPECT_FALSE(observers.has_room());
}

}  // namespace
}  // namespace adarun::launcher
