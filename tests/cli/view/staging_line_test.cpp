// SPDX-License-Identifier: Apache-2.0
#include "cli/view/progress_reporter.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;

// Nodes: 8, of which 2 are done. Files of a node: 3; kept on all nodes: `files_kept`. Bytes: 4000 to send,
// `bytes_sent` sent.
launcher::StageProgress progress_of_8(std::size_t files_kept, std::uint64_t bytes_sent) {
  return {8, 2, 3, files_kept, 4000, bytes_sent};
}

TEST(StagingLine, SaysHowFarItIs) {
  EXPECT_EQ(staging_line(progress_of_8(0, 1000)),
            "adarun: staging: [#####...............] 1 kB of 4 kB sent, 2 of 8 nodes done");
}

TEST(DescribeStaging, SaysWhatWasSentAndWhatWasThere) {
  EXPECT_EQ(describe_staging(progress_of_8(0, 4000), 500, 1200ms),
            "staged 3 files (500 bytes) on 8 nodes in 1.2 s: 4 kB sent");
  EXPECT_EQ(describe_staging(progress_of_8(5, 4000), 500, 1200ms),
            "staged 3 files (500 bytes) on 8 nodes in 1.2 s: 4 kB sent, the rest was there");
  EXPECT_EQ(describe_staging(progress_of_8(24, 0), 500, 20ms),
            "staged 3 files (500 bytes) on 8 nodes in 20 ms: all there already");
  EXPECT_EQ(describe_staging({1, 1, 1, 0, 10, 10}, 10, 20ms),
            "staged 1 file (10 bytes) on 1 node in 20 ms: 10 bytes sent");
}

}  // namespace
}  // namespace adarun::cli
