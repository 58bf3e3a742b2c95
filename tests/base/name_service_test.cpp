// SPDX-License-Identifier: Apache-2.0
#include "base/name_service.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace adarun::base {
namespace {

using Addresses = std::vector<std::string>;

TEST(NameService, ReadsTheUserOfAPasswdLine) {
  EXPECT_EQ(user_in("ada:x:1000:1000:Ada, Countess:/home/ada:/bin/sh\n"),
            (User{"ada", 1000, "/home/ada", "/bin/sh"}));
  EXPECT_EQ(user_in("ada@example.org:*:70001:70001::/srv/ada:"),
            (User{"ada@example.org", 70001, "/srv/ada", "/bin/sh"}));
  EXPECT_EQ(user_in("a:x:1:1::/a:/bin/sh\nb:x:2:2::/b:/bin/sh\n"), (User{"a", 1, "/a", "/bin/sh"}));
}

TEST(NameService, TakesNothingElseForAUser) {
  for (const char* line :
       {"", "\n", "ada", "ada:x:1000:1000:Ada", ":x:0:0::/:/bin/sh", "ada:x:1000:1000::/home/ada",
        "ada:x:-1:0::/:/bin/sh", "ada:x:1x:0::/:/bin/sh", "ada:x:99999999999:0::/:/bin/sh"})
    EXPECT_EQ(user_in(line), std::nullopt) << line;
}

TEST(NameService, ReadsEachAddressOfAHostOnce) {
  EXPECT_EQ(addresses_in("192.0.2.7       STREAM node1.example.org\n192.0.2.7       DGRAM  \n"
                         "192.0.2.7       RAW    \n2001:db8::7     STREAM\n"),
            (Addresses{"192.0.2.7", "2001:db8::7"}));
  EXPECT_EQ(addresses_in("192.0.2.7"), (Addresses{"192.0.2.7"}));
  EXPECT_EQ(addresses_in("fe80::1%eth0 STREAM\n"), (Addresses{"fe80::1%eth0"}));
}

TEST(NameService, TakesNoWordForAnAddressThatIsNone) {
  for (const char* text :
       {"", "\n\n", "node1 STREAM\n", "-o STREAM\n", "192.0.2.7.8 STREAM\n", " 192.0.2.7\n"})
    EXPECT_EQ(addresses_in(text), Addresses{}) << text;
}

TEST(NameService, KnowsWhoRunsThis) {
  const std::optional<User> user = user_of(getuid());
  EXPECT_TRUE(!user || user_named(user->name) == user);
  EXPECT_EQ(user_named("no such user"), std::nullopt);
}

}  // namespace
}  // namespace adarun::base
