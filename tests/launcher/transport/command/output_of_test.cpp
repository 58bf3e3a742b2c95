// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/output_of.h"

#include <gtest/gtest.h>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

std::string failure_of(const std::string& script, std::chrono::milliseconds deadline) {
  try {
    return "printed: " + output_of({"sh", "-c", script}, deadline);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(OutputOf, IsWhatAProgramPrints) {
  EXPECT_EQ(output_of({"sh", "-c", "echo 'node[1-2]'; echo careful >&2"}, std::chrono::seconds(40)),
            "node[1-2]\n");
}

TEST(OutputOf, SaysWhyThereIsNone) {
  const std::chrono::seconds long_enough{40};
  EXPECT_EQ(failure_of("echo no broker >&2; exit 1", long_enough), "sh: has printed nothing: no broker");
  EXPECT_EQ(failure_of("exec sleep 1000", std::chrono::milliseconds(100)), "sh: has not ended within 100 ms");
  EXPECT_EQ(failure_of("exec yes", long_enough), "sh: prints more than 1 MiB");
  EXPECT_THROW(output_of({"no-such-program-of-adarun"}, long_enough), Error);
}

}  // namespace
}  // namespace adarun::launcher
