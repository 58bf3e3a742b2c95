// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmi/client.h"

namespace adarun::launcher::agent::pmi {
namespace {

TEST(PmiCommand, IsALineOfPairs) {
  const auto command = parse_line("cmd=put kvsname=k key=a value=b=c");
  ASSERT_TRUE(command);
  EXPECT_EQ(*command, (Command{"put", {{"kvsname", "k"}, {"key", "a"}, {"value", "b=c"}}}));
  EXPECT_EQ(command->value("value"), "b=c");
  EXPECT_EQ(command->value("none"), "");
  EXPECT_EQ(line_of(*command), "cmd=put kvsname=k key=a value=b=c\n");
  EXPECT_EQ(parse_line("cmd=get_maxes "), (Command{"get_maxes", {}}));
  EXPECT_EQ(parse_line(" cmd=x  a=  b=1"), (Command{"x", {{"a", ""}, {"b", "1"}}}));
}

TEST(PmiCommand, MayHoldBlanksInWhatIsPublished) {
  EXPECT_EQ(parse_line("cmd=publish_name service=my one =x port=p=1 q"),
            (Command{"publish_name", {{"service", "my one =x"}, {"port", "p=1 q"}}}));
  EXPECT_EQ(parse_line("cmd=lookup_name service=my one"), (Command{"lookup_name", {{"service", "my one"}}}));
  EXPECT_EQ(parse_line("cmd=publish_name service=a b=c port=p key=1 port=2"),
            (Command{"publish_name", {{"service", "a b=c"}, {"port", "p key=1 port=2"}}}));
  EXPECT_EQ(parse_line("cmd=publish_name port=p service=a rc=1"),
            (Command{"publish_name", {{"port", "p"}, {"service", "a rc=1"}}}));
  EXPECT_EQ(parse_line("cmd=unpublish_name service=a cmd=b port=1 service=2"),
            (Command{"unpublish_name", {{"service", "a cmd=b port=1 service=2"}}}));
  EXPECT_FALSE(parse_line("cmd=lookup_name my service=one"));
}

TEST(PmiCommand, IsNoneWithoutItsNameOrWithAWordThatIsNoPair) {
  for (const char* line :
       {"", " ", "cmd", "cmd=", "=init", "put key=a", "key=a cmd=put", "cmd=put key", "cmd=put =a"})
    EXPECT_FALSE(parse_line(line)) << line;
}

TEST(PmiCommandReader, GivesTheSameByteByByte) {
  CommandReader reader;
  std::vector<Command> seen;
  for (const char byte :
       std::string("cmd=a\n\ncmd=b x=1\nmcmd=spawn\nexecname=/bin/a b\nargcnt=0\nendcmd\ncmd=c\ncmd=d")) {
    reader.feed({&byte, 1});
    while (auto command = reader.next()) seen.push_back(*command);
  }
  EXPECT_EQ(seen, (std::vector<Command>{{"a", {}},
                                        {"b", {{"x", "1"}}},
                                        {"spawn", {{"execname", "/bin/a b"}, {"argcnt", "0"}}},
                                        {"c", {}}}));
}

TEST(PmiCommandReader, RefusesWhatIsTooLongOrNoCommand) {
  std::string endless = "mcmd=spawn\n";
  while (endless.size() <= CommandReader::max_command_bytes + 100) endless += "info_key_1=0123456789\n";
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\n"), std::string("mcmd=spawn\nno pair\n"),
                                   endless, std::string(CommandReader::max_line_bytes + 1, 'x'),
                                   "cmd=" + std::string(CommandReader::max_line_bytes, 'x') + "\n"}) {
    CommandReader reader;
    reader.feed(bytes);
    EXPECT_THROW(while (reader.next()){}, Error) << bytes.substr(0, 20);
  }
}

}  // namespace
}  // namespace adarun::launcher::agent::pmi
