// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/output_of.h"

#include <gtest/gtest.h>

#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher {
namespace {

const std::string first_line(protocol::magic);

std::string altered(std::string line) {
  return line.insert(line.size() - 1, "\r");
}

TEST(OutputWatch, FindsTheAgentBehindAnyGreetingAndInAnyPieces) {
  const std::string text = "Welcome\r\n\x01 no agent\n" + first_line + "more\r\n";
  for (std::size_t size : {std::size_t{1}, std::size_t{7}, text.size()}) {
    OutputWatch watch;
    for (std::size_t at = 0; at < text.size(); at += size) watch.take(text.substr(at, size));
    EXPECT_TRUE(watch.has_agent()) << size;
  }
}

TEST(OutputWatch, RefusesLineEndsThatATerminalHasChanged) {
  for (const std::string& line : {altered(first_line), altered("\x01"
                                                               "adarun-agent wanted: agent\n")}) {
    OutputWatch watch;
    watch.take("Welcome\r\n" + line.substr(0, 9));
    EXPECT_TRUE(watch.has_carriage_returns());
    EXPECT_THROW(watch.take(line.substr(9)), Error);
    EXPECT_FALSE(watch.has_agent());
  }
}

TEST(OutputWatch, LetsANodeAskForABuild) {
  OutputWatch watch;
  watch.take(
      "\x01"
      "adarun-agent wanted: agent\n");
  EXPECT_FALSE(watch.has_agent());
  EXPECT_FALSE(watch.has_carriage_returns());
}

TEST(OutputWatch, TakesOnlySoMuchBeforeAnAgentAnswers) {
  OutputWatch watch;
  const std::string piece(1000, 'y');
  std::size_t taken = 0;
  try {
    for (; taken <= 2 * OutputWatch::most_bytes; taken += piece.size()) watch.take(piece);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "it has printed more than 1 MiB, and no agent answers");
  }
  EXPECT_GE(taken + piece.size(), OutputWatch::most_bytes);
}

TEST(OutputWatch, CountsNothingOnceAnAgentAnswers) {
  OutputWatch watch;
  watch.take(first_line);
  EXPECT_NO_THROW(watch.take(std::string(2 * OutputWatch::most_bytes, 'y') + altered(first_line)));
}

}  // namespace
}  // namespace adarun::launcher
