// SPDX-License-Identifier: Apache-2.0
#include "base/manual/roff.h"

#include <gtest/gtest.h>

namespace adarun::manual {
namespace {

TEST(Roff, KeepsEveryCharacter) {
  EXPECT_EQ(roff_text("--a 'b' `c` ~/d ^e \\n"), "\\-\\-a \\(aqb\\(aq \\(gac\\(ga \\(ti/d \\(hae \\en");
  EXPECT_EQ(roff_bold("-v"), "\\fB\\-v\\fR");
  EXPECT_EQ(roff_italic("A_B"), "\\fIA_B\\fR");
}

TEST(Roff, TakesNoLineForARequest) {
  EXPECT_EQ(roff_paragraph({".so file", "'quoted'"}), ".PP\n\\&.so file\n\\(aqquoted\\(aq\n");
}

TEST(Roff, KeepsTheFormOfLinesThatBeginWithBlanks) {
  EXPECT_EQ(roff_paragraph({"Such as:", "  a", "    b", "and so on."}),
            ".PP\nSuch as:\n.RS 4\n.EX\na\n  b\n.EE\n.RE\n.PP\nand so on.\n");
}

}  // namespace
}  // namespace adarun::manual
