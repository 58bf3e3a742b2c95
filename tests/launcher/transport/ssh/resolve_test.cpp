// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/resolve.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

TEST(Resolve, GivesEachNameItsAddressesOrAReason) {
  std::vector<Endpoint> endpoints;
  for (int i = 0; i < 40; ++i) endpoints.push_back({"127.0.0." + std::to_string(i + 1), 22});
  endpoints[7].hostname = "no such name";
  const std::vector<Resolved> found = resolve_all(endpoints, 60s);
  ASSERT_EQ(found.size(), endpoints.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == 7) continue;
    ASSERT_EQ(found[i].addresses.size(), 1U) << found[i].reason;
    EXPECT_EQ(found[i].addresses[0].text(), endpoints[i].hostname);
    EXPECT_EQ(found[i].reason, "");
  }
  EXPECT_TRUE(found[7].addresses.empty());
  EXPECT_EQ(found[7].reason.rfind("no such name: cannot resolve this name: ", 0), 0U) << found[7].reason;
}

TEST(Resolve, WaitsNoLongerThanItsDeadline) {
  const std::vector<Resolved> found = resolve_all({{"127.0.0.1", 22}, {"127.0.0.2", 22}}, 0ms);
  for (const Resolved& each : found)
    EXPECT_NE(each.addresses.empty(), each.reason.empty()) << "an answer, or that there was none in time";
}

TEST(Resolve, HasNothingToDoForNobody) {
  EXPECT_TRUE(resolve_all({}, 60s).empty());
}

}  // namespace
}  // namespace adarun::launcher
