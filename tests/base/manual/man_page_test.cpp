// SPDX-License-Identifier: Apache-2.0
#include "base/manual/man_page.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace adarun::manual {
namespace {

// A program with one command that --help shows and one that it does not.
class ManPages : public testing::Test {
 protected:
  ManPages() {
    CLI::App& run = *app_.add_subcommand("run", "Run a program");
    run.add_option("-n,--lines", text_, "How many")->type_name("N");
    run.add_option("place", text_, "Where")->required()->type_name("DIR");
    run.footer("\nMore of it.\n\nExamples:\n  tool run x   the usual way\n\nExit status: 0 done.");
    app_.add_subcommand("hidden", "")->group("");
  }

  std::vector<Page> pages() const {
    return man_pages(app_, [](const std::string& command) { return command == "run"; });
  }

  CLI::App app_{"Does things.", "tool"};
  std::string text_;
};

TEST_F(ManPages, AreOfTheProgramAndOfTheCommandsThatHelpShows) {
  std::vector<std::string> names;
  for (const Page& page : pages()) names.push_back(page.name);
  EXPECT_EQ(names, (std::vector<std::string>{"tool", "tool-run"}));
}

TEST_F(ManPages, ListTheCommandsOfAProgram) {
  const std::string text = pages()[0].text;
  EXPECT_NE(text.find(".SH NAME\ntool \\- does things\n"), std::string::npos) << text;
  EXPECT_NE(text.find(".SH COMMANDS\n.TP\n\\fBtool\\-run\\fR(1)\nRun a program.\n"), std::string::npos)
      << text;
}

TEST_F(ManPages, HaveTheSectionsOfACommandInTheirOrder) {
  const std::string text = pages()[1].text;
  std::size_t at = 0;
  for (const char* piece : {".TH TOOL-RUN 1", ".SH NAME\ntool\\-run \\- run a program\n",
                            ".SH SYNOPSIS\n\\fBtool run\\fR [\\fIoption\\fR ...] \\fIDIR\\fR\n",
                            ".SH DESCRIPTION\n.PP\nRun a program.\n.PP\nMore of it.\n",
                            ".SH OPTIONS\n.TP\n\\fIDIR\\fR\nWhere. Required.\n",
                            "\\fB\\-n\\fR, \\fB\\-\\-lines\\fR \\fIN\\fR\nHow many.\n",
                            ".SH EXAMPLES\n.PP\n.RS 4\n.EX\ntool run x   the usual way\n",
                            ".SH EXIT STATUS\n.PP\n0 done.\n", ".SH SEE ALSO\n\\fBtool\\fR(1)\n"}) {
    const std::size_t found = text.find(piece, at);
    ASSERT_NE(found, std::string::npos) << piece << " behind " << at << " in " << text;
    at = found;
  }
}

// The page of a program of this name, with this option and this text below its options.
std::string page_of(const std::string& name, const std::string& option, const std::string& footer) {
  CLI::App app{"Does things.", name};
  std::string text;
  app.add_option("-v", text, option)->type_name("A_B");
  app.footer(footer);
  return man_pages(app, [](const std::string&) { return false; })[0].text;
}

TEST(Roff, KeepsEveryCharacterAndTheFormOfLinesThatBeginWithBlanks) {
  const std::string text =
      page_of("tool", "--a 'b' `c` ~/d ^e \\n", ".so file\n'quoted'\n\nSuch as:\n  a\n    b\nand so on.");
  for (const char* piece : {"\\-\\-a \\(aqb\\(aq \\(gac\\(ga \\(ti/d \\(hae \\en", "\\fB\\-v\\fR",
                            "\\fIA_B\\fR", ".PP\n\\&.so file\n\\(aqquoted\\(aq\n",
                            ".PP\nSuch as:\n.RS 4\n.EX\na\n  b\n.EE\n.RE\n.PP\nand so on.\n"})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " in " << text;
}

}  // namespace
}  // namespace adarun::manual
