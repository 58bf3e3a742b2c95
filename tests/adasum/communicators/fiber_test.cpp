// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace adasum {
namespace {

TEST(Fiber, ContinuesWhereItWasLeft) {
  std::string said;
  Fiber fiber;
  fiber.start([&] {
    for (const char letter : {'a', 'b', 'c'}) {
      said += letter;
      EXPECT_TRUE(Fiber::pause());
    }
  });
  EXPECT_EQ(said, "") << "nothing runs by itself";
  fiber.resume();
  said += '-';
  fiber.resume();
  EXPECT_EQ(said, "a-b");
  EXPECT_FALSE(fiber.ended());
}

TEST(Fiber, BlocksInItsLastStretch) {
  int pauses = 0;
  Fiber fiber;
  fiber.start([&] {
    while (Fiber::pause()) ++pauses;
  });
  fiber.resume();
  fiber.resume();
  fiber.finish();
  EXPECT_TRUE(fiber.ended());
  EXPECT_EQ(pauses, 2);
}

TEST(Fiber, IsNotWhereItsCallerIs) {
  EXPECT_FALSE(Fiber::inside());
  EXPECT_FALSE(Fiber::pause());
  Fiber fiber;
  fiber.start([] { EXPECT_TRUE(Fiber::inside()); });
  fiber.resume();
  EXPECT_FALSE(Fiber::inside());
}

TEST(Fiber, ThrowsWhatItsBodyThrowsAndStartsAgain) {
  Fiber fiber;
  for (int round = 0; round < 3; ++round) {
    fiber.start([] {
      Fiber::pause();
      throw std::runtime_error("no more");
    });
    fiber.resume();
    EXPECT_THROW(fiber.resume(), std::runtime_error);
    EXPECT_TRUE(fiber.ended());
    fiber.resume();  // nothing is left to do
  }
}

TEST(Fiber, UnwindsABodyThatIsNotEnded) {
  struct Flag {
    bool& down;
    ~Flag() { down = true; }
  };
  bool down = false;
  {
    Fiber fiber;
    fiber.start([&] {
      const Flag flag{down};
      while (Fiber::pause()) {
      }
    });
    fiber.resume();
    EXPECT_FALSE(down);
  }
  EXPECT_TRUE(down);
}

TEST(Fiber, MayBeLeftForAnother) {
  std::string said;
  Fiber first;
  Fiber second;
  first.start([&] {
    said += '1';
    Fiber::pause();
    second.resume();
    said += '3';
  });
  second.start([&] { said += '2'; });
  first.resume();
  first.finish();
  EXPECT_EQ(said, "123");
}

}  // namespace
}  // namespace adasum
