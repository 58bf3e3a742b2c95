// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_printer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace adarun::cli {
namespace {

TEST(WriteTagged, PutsTheTagBeforeEachLine) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  write_tagged(out, "[12] ", "a\n\nb\n");
  write_tagged(out, "[12] ", "");
  std::fclose(out);  // NOLINT: open_memstream's
  EXPECT_EQ(std::string(text, size), "[12] a\n[12] \n[12] b\n");
  std::free(text);  // NOLINT: open_memstream's
}

}  // namespace
}  // namespace adarun::cli
