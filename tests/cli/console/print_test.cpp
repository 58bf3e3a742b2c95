// SPDX-License-Identifier: Apache-2.0
#include "cli/console/print.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

TEST(Columns, AreAsWideAsTheirWidestText) {
  EXPECT_EQ(columns({{"JOB", "STATE"}, {"a", "running"}, {"longer", "done"}}),
            "JOB     STATE\n"
            "a       running\n"
            "longer  done\n");
}

TEST(Columns, AlignNumbersToTheRight) {
  EXPECT_EQ(columns({{"RANKS", "NODE"}, {"8", "n1"}, {"1024", "n2"}}),
            "RANKS  NODE\n"
            "    8  n1\n"
            " 1024  n2\n");
  EXPECT_EQ(columns({{"MS", "AT"}, {"10.5", "10.0.0.2"}, {"0.25", "1"}}),
            "  MS  AT\n"
            "10.5  10.0.0.2\n"
            "0.25  1\n");
  EXPECT_EQ(columns({{"V"}, {"100.5"}, {"1."}}), "V\n100.5\n1.\n");
}

TEST(Columns, AreOfTextWhereOneLineIsNoNumber) {
  EXPECT_EQ(columns({{"STEP"}, {"12"}, {"-"}}), "STEP\n12\n-\n");
  EXPECT_EQ(columns({{"STEP"}, {"12"}, {""}}), "STEP\n12\n\n");
}

TEST(Columns, AreMeasuredInCharactersNotBytes) {
  EXPECT_EQ(columns({{"A", "B"}, {"äöü", "x"}, {"abcd", "y"}}),
            "A     B\n"
            "äöü   x\n"
            "abcd  y\n");
}

TEST(Columns, PassNothingOnThatHarmsATerminal) {
  EXPECT_EQ(columns({{"A", "B"}, {"\x1b[2Jx\ny", "z"}}), "A    B\nx y  z\n");
}

TEST(Columns, AreNoneWithoutRows) {
  EXPECT_EQ(columns({}), "");
}

}  // namespace
}  // namespace adarun::cli
