// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/local/local_reach.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "tests/launcher/await.h"

namespace adarun::launcher {
namespace {

constexpr std::uint64_t bytes_per_block = 512;

/// The memory in which links of this process keep their programs' stderr.
std::uint64_t kept_bytes() {
  std::uint64_t bytes = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(each, error).string().rfind("/memfd:adarun", 0) != 0) continue;
    struct stat facts {};
    if (stat(each.path().c_str(), &facts) == 0)
      bytes += static_cast<std::uint64_t>(facts.st_blocks) * bytes_per_block;
  }
  return bytes;
}

TEST(PipeLink, KeepsTheEndOfWhatIsSaidAndNotAllOfIt) {
  const base::FileLimit files;
  PipeLink link({"/bin/sh", "-c", "yes complaint | head -c 20000000 >&2; echo the end >&2; exec cat"},
                PipeLink::Stderr::kept, files);
  std::array<char, 1> buffer{};
  ASSERT_TRUE(await([&] {
    link.read(buffer);
    return link.status_text().ends_with("complaint\nthe end\n");
  }));
  link.read(buffer);
  EXPECT_EQ(link.status_text().size(), 1000U);
  EXPECT_GT(kept_bytes(), 0U);
  EXPECT_LT(kept_bytes(), 1'000'000U);
  EXPECT_TRUE(await([&] { return link.close(); }));
}

}  // namespace
}  // namespace adarun::launcher
