// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch_session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "launcher/base/error.h"
#include "launcher/fetch/fetch_target.h"
#include "tests/content_hash.h"
#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

const auto hash = base::hash_of_text;

class HomeTest : public testing::Test {
 protected:
  HomeTest() { fs::create_directories(root_); }
  ~HomeTest() override { fs::remove_all(root_); }

  // The state of file "a" of node n after copying it when it contains `text` on the node.
  FetchResult bring(const std::string& text, std::size_t cut = std::string::npos,
                    const std::string& sent = {}) {
    DownloadFolder home(root_ / "home");
    ArrivingFile file(home.place("n", "/d/a"), {"/d/a", text.size(), 1'000'000'000, 1, 0644});
    const Known known = file.known();
    offset_ = known.size_bytes <= text.size() && known.hash == hash(text.substr(0, known.size_bytes))
                  ? known.size_bytes
                  : 0;
    const std::string rest = sent.empty() ? text.substr(offset_) : sent;
    if (!rest.empty()) file.take(offset_, rest.substr(0, cut));
    if (cut < rest.size()) return FetchResult::damaged;
    return file.finish({0, text.size(), hash(text), ""});
  }
  std::string content() const {
    std::ifstream file(root_ / "home/n/d/a", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& each : fs::directory_iterator(root_ / "home/n/d")) ++count;
    return count;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("fetch_test_" + std::to_string(getpid()));
  std::uint64_t offset_ = 0;
};

TEST_F(HomeTest, BringsAFileWithItsTime) {
  EXPECT_EQ(bring("hello\n"), FetchResult::fresh);
  EXPECT_EQ(content(), "hello\n");
  struct stat facts {};
  ASSERT_EQ(stat((root_ / "home/n/d/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mtime, 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(HomeTest, BringsAnEmptyFileAndOneThatHasBecomeEmpty) {
  EXPECT_EQ(bring(""), FetchResult::fresh);
  EXPECT_TRUE(fs::exists(root_ / "home/n/d/a"));
  bring("text");
  EXPECT_EQ(bring(""), FetchResult::fresh);
  EXPECT_EQ(content(), "");
}

TEST_F(HomeTest, ContinuesWhereItWasCut) {
  bring("0123456789", 4);
  EXPECT_FALSE(fs::exists(root_ / "home/n/d/a")) << "nobody sees half of it";
  EXPECT_EQ(bring("0123456789"), FetchResult::fresh);
  EXPECT_EQ(offset_, 4U);
  EXPECT_EQ(content(), "0123456789");
  EXPECT_EQ(files(), 1U);
}

TEST_F(HomeTest, BeginsAnewWhereTheFileIsAnotherOneByThen) {
  bring("0123456789", 4);
  EXPECT_EQ(bring("abc"), FetchResult::fresh);
  EXPECT_EQ(content(), "abc");
  EXPECT_EQ(bring("abX456"), FetchResult::fresh);
  EXPECT_EQ(content(), "abX456");
}

TEST_F(HomeTest, AddsWhatHasGrown) {
  bring("0123");
  EXPECT_EQ(bring("0123456"), FetchResult::fresh);
  EXPECT_EQ(offset_, 4U);
  EXPECT_EQ(content(), "0123456");
  EXPECT_EQ(bring("0123456"), FetchResult::kept);
}

TEST_F(HomeTest, KeepsTheOldFileWhereWhatCameIsDamaged) {
  bring("0123");
  EXPECT_EQ(bring("0123456", std::string::npos, "4X6"), FetchResult::damaged);
  EXPECT_EQ(content(), "0123");
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(bring("0123456"), FetchResult::fresh);
}

TEST_F(HomeTest, WritesNothingOutsideTheFolder) {
  DownloadFolder home(root_ / "home");
  for (const char* path : {"../x", "a/../../x", "..", ".", "", "/", "a/./b"})
    EXPECT_THROW(home.place("n", path), Error) << path;
  EXPECT_THROW(home.place("..", "x"), Error);
  EXPECT_THROW(home.place("a/b", "x"), Error);
  EXPECT_THROW(home.place("n", std::string("a\0b", 3)), Error);
  EXPECT_EQ(home.place("n", "//a//b").path, root_ / "home/n/a/b");
}

TEST_F(HomeTest, WritesNothingThroughLinks) {
  DownloadFolder home(root_ / "home");
  fs::create_directories(root_ / "home/n");
  fs::create_directories(root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", root_ / "home/n/d");
  EXPECT_THROW(home.place("n", "d/a"), Error);
  fs::create_symlink(root_ / "elsewhere/a", root_ / "home/n/a");
  EXPECT_THROW(ArrivingFile(home.place("n", "a"), {}), Error);
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
}

TEST_F(HomeTest, MakesNoMoreFoldersForANodeThanItMay) {
  DownloadFolder home(root_ / "home", 3);
  EXPECT_NO_THROW(home.place("n", "a/b/x"));
  EXPECT_THROW(home.place("n", "c/x"), Error);
  EXPECT_NO_THROW(home.place("n", "a/x")) << "is there already";
  EXPECT_FALSE(fs::exists(root_ / "home/n/c"));
  EXPECT_NO_THROW(home.place("m", "c/x"));
}

TEST_F(HomeTest, FollowsNoPathThatIsTooDeep) {
  DownloadFolder home(root_ / "home");
  std::string path = "x";
  for (std::size_t i = 1; i < DownloadFolder::most_parts; ++i) path = "a/" + path;
  EXPECT_NO_THROW(home.place("n", path));
  EXPECT_THROW(home.place("n", "a/" + path), Error);
}

TEST_F(HomeTest, IsForOneProgramAtATime) {
  const DownloadFolder home(root_ / "home");
  EXPECT_THROW(DownloadFolder(root_ / "home"), Error);
}

TEST_F(HomeTest, CanBeLookedAtWhileItComesWithoutAName) {
  TemporaryCopy file;
  file.take(0, "abc");
  file.take(3, "def");
  EXPECT_EQ(file.finish({0, 6, "", ""}), FetchResult::fresh);
  EXPECT_EQ(file.known().size_bytes, 6U);
  EXPECT_EQ(fs::file_size(file.path()), 6U);
  file.take(0, "new");
  EXPECT_EQ(fs::file_size(file.path()), 3U);
}

// Keeps received files in memory.
struct Memory : FetchTarget {
  Known known() override { return {text.size(), hash(text)}; }
  void take(std::uint64_t offset, std::string_view bytes) override {
    text.replace(offset, std::string::npos, bytes);
  }
  FetchResult finish(const protocol::Fetched& fetched) override {
    return fetched.hash == hash(text) ? FetchResult::fresh : FetchResult::damaged;
  }
  std::string text;
};

struct FetchTest : testing::Test {
  static constexpr auto always = [](const FetchProgress&) { return true; };

  std::map<std::string, std::shared_ptr<Memory>> here;
  FetchSession::Place place = [this](std::uint32_t node, const protocol::FoundFile& found) {
    auto& file = here[std::to_string(node) + found.path];
    if (!file) file = std::make_shared<Memory>();
    return file;
  };
};

TEST_F(FetchTest, BringsAllFilesOfAllNodes) {
  FakeTransport transport(
      2, [](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Find>(message))
          return {protocol::FileListing{{{"/a", 2}, {"/b", 0}}, {}}};
        const auto& order = std::get<protocol::Fetch>(message);
        const std::string text = order.path == "/b" ? "" : "n" + std::to_string(node);
        if (text.empty()) return {protocol::Fetched{order.id, 0, hash("")}};
        return {protocol::FetchPart{order.id, 0, false, text}, protocol::Fetched{order.id, 2, hash(text)}};
      });
  FetchSession fetch(transport, 2, {{"/*"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(here.at("0/a")->text, "n0");
  EXPECT_EQ(here.at("1/a")->text, "n1");
  EXPECT_EQ(fetch.nodes()[1].files[0].new_bytes, 2U);
  EXPECT_EQ(fetch.nodes()[1].files[1].reason, "");
}

TEST_F(FetchTest, AsksAgainForAFileThatWasDamagedOrCutShort) {
  int tries = 0;
  FakeTransport transport(
      1, [&](std::uint32_t, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Find>(message)) return {protocol::FileListing{{{"/a", 3}}, {}}};
        const auto id = std::get<protocol::Fetch>(message).id;
        ++tries;
        if (tries == 1)
          return {protocol::FetchPart{id, 0, false, "ab"},
                  protocol::Fetched{id, 2, "", "was cut short while it was read"}};
        if (tries == 2)
          return {protocol::FetchPart{id, 0, false, "axc"}, protocol::Fetched{id, 3, hash("abc")}};
        return {protocol::FetchPart{id, 0, false, "abc"}, protocol::Fetched{id, 3, hash("abc")}};
      });
  FetchSession fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(here.at("0/a")->text, "abc");
  EXPECT_EQ(fetch.nodes()[0].files[0].reason, "");
  EXPECT_EQ(tries, 3);
}

TEST_F(FetchTest, GivesAFileUpThatIsDamagedEachTime) {
  FakeTransport transport(
      1, [&](std::uint32_t, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Find>(message)) return {protocol::FileListing{{{"/a", 3}}, {}}};
        const auto id = std::get<protocol::Fetch>(message).id;
        return {protocol::FetchPart{id, 0, false, "axc"}, protocol::Fetched{id, 3, hash("abc")}};
      });
  FetchSession fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].files[0].reason, "what has come of it is not what was sent");
}

TEST_F(FetchTest, NamesWhyANodeHasNothing) {
  FakeTransport transport(
      3, [](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (!std::holds_alternative<protocol::Find>(message)) return {};
        if (node == 0) return {protocol::FileListing{{}, {}, "more than 10 files match"}};
        if (node == 1) return {protocol::FetchPart{7, 0, false, "?"}};
        return {protocol::FileListing{{}, {"/x: a symbolic link"}}};
      });
  FetchSession fetch(transport, 3, {{"/*"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].reason, "more than 10 files match");
  EXPECT_EQ(fetch.nodes()[1].reason, "bytes of a file that was not asked for");
  EXPECT_EQ(fetch.nodes()[2].reason, "");
  EXPECT_EQ(fetch.nodes()[2].left_out, std::vector<std::string>{"/x: a symbolic link"});
}

// Its parts are not consecutive, or there is no space for them.
TEST_F(FetchTest, ContinuesWithTheOthersWhereWhatANodeSendsCannotBeWritten) {
  struct Refusing : Memory {
    void take(std::uint64_t, std::string_view) override { throw Error("a part of this file is missing"); }
  };
  FakeTransport transport(
      2, [](std::uint32_t, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Find>(message)) return {protocol::FileListing{{{"/a", 2}}, {}}};
        if (!std::holds_alternative<protocol::Fetch>(message)) return {};
        const auto id = std::get<protocol::Fetch>(message).id;
        return {protocol::FetchPart{id, 0, false, "ok"}, protocol::Fetched{id, 2, hash("ok")}};
      });
  const FetchSession::Place refuses_first = [this](std::uint32_t node, const protocol::FoundFile& found) {
    return node == 0 ? std::make_shared<Refusing>() : place(node, found);
  };
  FetchSession fetch(transport, 2, {{"/*"}, 10}, refuses_first);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].reason, "a part of this file is missing");
  EXPECT_EQ(fetch.nodes()[1].reason, "");
  EXPECT_EQ(here.at("1/a")->text, "ok");
}

TEST_F(FetchTest, GivesUpANodeThatSaysMoreThanItWasAsked) {
  FakeTransport transport(
      3, [](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (!std::holds_alternative<protocol::Find>(message)) return {};
        if (node == 0) return {protocol::FileListing{std::vector<protocol::FoundFile>(11), {}}};
        if (node == 1) return {protocol::FileListing{{}, std::vector<std::string>(11)}};
        return {protocol::Hello{ADARUN_VERSION, "h", 1, 0}};
      });
  FetchSession fetch(transport, 3, {{"/*"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].reason, "it tells of more than 10 files");
  EXPECT_EQ(fetch.nodes()[1].reason, "it tells of more than 10 files");
  EXPECT_EQ(fetch.nodes()[2].reason, "a second Hello");
  EXPECT_TRUE(here.empty());
}

TEST_F(FetchTest, ContinuesWithTheOthersWhereANodeIsLost) {
  FakeTransport* way = nullptr;
  FakeTransport transport(
      2, [&](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Find>(message))
          return {protocol::FileListing{std::vector<protocol::FoundFile>(node == 0 ? 40 : 1, {"/a", 2}), {}}};
        const auto id = std::get<protocol::Fetch>(message).id;
        if (node == 1) return {protocol::FetchPart{id, 0, false, "ok"}, protocol::Fetched{id, 2, hash("ok")}};
        way->lose(0, "cut off");
        return {protocol::FetchPart{id, 0, false, "o"}};
      });
  way = &transport;
  FetchSession fetch(transport, 2, {{"/*"}, 40}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].reason, "cut off");
  EXPECT_EQ(fetch.nodes()[0].files[0].reason, "cut off");
  EXPECT_EQ(fetch.nodes()[0].files[39].reason, "cut off") << "never asked for";
  EXPECT_EQ(here.at("1/a")->text, "ok");
}

// Without the limit the session would wait for each of them for ever.
TEST_F(FetchTest, GivesUpANodeThatSendsNothingNew) {
  FakeTransport* way = nullptr;
  FakeTransport transport(
      3, [&](std::uint32_t node, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (node == 0 || std::holds_alternative<protocol::Stop>(message)) return {};
        if (std::holds_alternative<protocol::Find>(message)) return {protocol::FileListing{{{"/a", 2}}, {}}};
        const auto id = std::get<protocol::Fetch>(message).id;
        if (node == 2) return {protocol::FetchPart{id, 0, false, "ok"}, protocol::Fetched{id, 2, hash("ok")}};
        way->again = {1, protocol::FetchPart{id, 0, false, "o"}};
        return {};
      });
  way = &transport;
  FetchSession fetch(transport, 3, {{"/*"}, 10}, place, std::chrono::milliseconds(5));
  EXPECT_TRUE(fetch.run(always));
  const std::string reason = "its agent answers, but has sent nothing new for 5 ms";
  EXPECT_EQ(fetch.nodes()[0].reason, reason);
  EXPECT_EQ(fetch.nodes()[1].reason, reason);
  EXPECT_EQ(fetch.nodes()[2].reason, "");
}

TEST_F(FetchTest, BringsTheSecondTimeWhatHasGrown) {
  std::string text = "one";
  FakeTransport transport(
      1, [&](std::uint32_t, const protocol::Message& message) -> std::vector<protocol::Message> {
        if (std::holds_alternative<protocol::Find>(message))
          return {protocol::FileListing{{{"/a", text.size()}}, {}}};
        const auto& order = std::get<protocol::Fetch>(message);
        return {protocol::FetchPart{order.id, order.offset, false, text.substr(order.offset)},
                protocol::Fetched{order.id, text.size(), hash(text)}};
      });
  FetchSession fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  text += " two";
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(here.at("0/a")->text, "one two");
  EXPECT_EQ(fetch.nodes()[0].files[0].new_bytes, 4U);
}

TEST_F(FetchTest, EndsWhenToldTo) {
  FakeTransport transport(1, [](auto, const auto&) { return std::vector<protocol::Message>{}; });
  FetchSession fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_FALSE(fetch.run([](const FetchProgress&) { return false; }));
}

}  // namespace
}  // namespace adarun::launcher
