// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "launcher/error.h"
#include "launcher/fetch/arriving_file.h"
#include "launcher/fetch/passing_file.h"
#include "tests/content_hash.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

const auto hash = content::hash_of_text;

class HomeTest : public testing::Test {
 protected:
  HomeTest() { fs::create_directories(root_); }
  ~HomeTest() override { fs::remove_all(root_); }

  // What is there of "a" of node n, and what comes of it when it holds `text` on the node.
  Arrived bring(const std::string& text, std::size_t cut = std::string::npos, const std::string& sent = {}) {
    const HomeFolder home(root_ / "home");
    ArrivingFile file(home.place("n", "/d/a"), {"/d/a", text.size(), 1'000'000'000, 1, 0644});
    const Known known = file.known();
    offset_ = known.size_bytes <= text.size() && known.hash == hash(text.substr(0, known.size_bytes))
                  ? known.size_bytes
                  : 0;
    const std::string rest = sent.empty() ? text.substr(offset_) : sent;
    if (!rest.empty()) file.take(offset_, rest.substr(0, cut));
    if (cut < rest.size()) return Arrived::damaged;
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
  EXPECT_EQ(bring("hello\n"), Arrived::fresh);
  EXPECT_EQ(content(), "hello\n");
  struct stat facts {};
  ASSERT_EQ(stat((root_ / "home/n/d/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mtime, 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(HomeTest, BringsAnEmptyFileAndOneThatHasBecomeEmpty) {
  EXPECT_EQ(bring(""), Arrived::fresh);
  EXPECT_TRUE(fs::exists(root_ / "home/n/d/a"));
  bring("text");
  EXPECT_EQ(bring(""), Arrived::fresh);
  EXPECT_EQ(content(), "");
}

TEST_F(HomeTest, GoesOnWhereItWasCut) {
  bring("0123456789", 4);
  EXPECT_FALSE(fs::exists(root_ / "home/n/d/a")) << "nobody sees half of it";
  EXPECT_EQ(bring("0123456789"), Arrived::fresh);
  EXPECT_EQ(offset_, 4U);
  EXPECT_EQ(content(), "0123456789");
  EXPECT_EQ(files(), 1U);
}

TEST_F(HomeTest, BeginsAnewWhereTheFileIsAnotherOneByThen) {
  bring("0123456789", 4);
  EXPECT_EQ(bring("abc"), Arrived::fresh);
  EXPECT_EQ(content(), "abc");
  EXPECT_EQ(bring("abX456"), Arrived::fresh);
  EXPECT_EQ(content(), "abX456");
}

TEST_F(HomeTest, AddsWhatHasGrown) {
  bring("0123");
  EXPECT_EQ(bring("0123456"), Arrived::fresh);
  EXPECT_EQ(offset_, 4U);
  EXPECT_EQ(content(), "0123456");
  EXPECT_EQ(bring("0123456"), Arrived::kept);
}

TEST_F(HomeTest, KeepsTheOldFileWhereWhatCameIsDamaged) {
  bring("0123");
  EXPECT_EQ(bring("0123456", std::string::npos, "4X6"), Arrived::damaged);
  EXPECT_EQ(content(), "0123");
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(bring("0123456"), Arrived::fresh);
}

TEST_F(HomeTest, WritesNothingOutsideTheFolder) {
  const HomeFolder home(root_ / "home");
  for (const char* path : {"../x", "a/../../x", "..", ".", "", "/", "a/./b"})
    EXPECT_THROW(home.place("n", path), Error) << path;
  EXPECT_THROW(home.place("..", "x"), Error);
  EXPECT_THROW(home.place("a/b", "x"), Error);
  EXPECT_THROW(home.place("n", std::string("a\0b", 3)), Error);
  EXPECT_EQ(home.place("n", "//a//b").path, root_ / "home/n/a/b");
}

TEST_F(HomeTest, WritesNothingThroughLinks) {
  const HomeFolder home(root_ / "home");
  fs::create_directories(root_ / "home/n");
  fs::create_directories(root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", root_ / "home/n/d");
  EXPECT_THROW(home.place("n", "d/a"), Error);
  fs::create_symlink(root_ / "elsewhere/a", root_ / "home/n/a");
  EXPECT_THROW(ArrivingFile(home.place("n", "a"), {}), Error);
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
}

TEST_F(HomeTest, IsForOneProgramAtATime) {
  const HomeFolder home(root_ / "home");
  EXPECT_THROW(HomeFolder(root_ / "home"), Error);
}

TEST_F(HomeTest, CanBeLookedAtWhileItComesWithoutAName) {
  PassingFile file;
  file.take(0, "abc");
  file.take(3, "def");
  EXPECT_EQ(file.finish({0, 6, "", ""}), Arrived::fresh);
  EXPECT_EQ(file.known().size_bytes, 6U);
  EXPECT_EQ(fs::file_size(file.path()), 6U);
  file.take(0, "new");
  EXPECT_EQ(fs::file_size(file.path()), 3U);
}

// A transport whose nodes are played by the test.
class FakeTransport : public Transport {
 public:
  using Answer = std::function<std::vector<wire::Message>(std::uint32_t, const wire::Message&)>;

  explicit FakeTransport(std::uint32_t nodes, Answer answer) : answer_(std::move(answer)) {
    for (std::uint32_t node = 0; node < nodes; ++node)
      events_.push_back({node, wire::Hello{ADARUN_VERSION, "h", 1, 0}});
  }
  void send(const std::vector<std::uint32_t>& nodes, const wire::Message& message) override {
    sent.push_back(message);
    for (const std::uint32_t node : nodes)
      for (wire::Message& reply : answer_(node, message)) events_.push_back({node, std::move(reply)});
  }
  void lose(std::uint32_t node, const std::string& reason) { events_.push_back({node, LinkLost{reason}}); }
  int ready_fd() const override { return always_ready_.get(); }
  std::vector<TransportEvent> take() override { return std::exchange(events_, {}); }

  std::vector<wire::Message> sent;

 private:
  Answer answer_;
  std::vector<TransportEvent> events_;
  posix::FileDescriptor always_ready_{open("/dev/null", O_RDONLY | O_CLOEXEC)};
};

// Keeps what comes in memory.
struct Memory : Arrival {
  Known known() override { return {text.size(), hash(text)}; }
  void take(std::uint64_t offset, std::string_view bytes) override {
    text.replace(offset, std::string::npos, bytes);
  }
  Arrived finish(const wire::Fetched& fetched) override {
    return fetched.hash == hash(text) ? Arrived::fresh : Arrived::damaged;
  }
  std::string text;
};

struct FetchTest : testing::Test {
  static constexpr auto always = [](const FetchProgress&) { return true; };

  std::map<std::string, std::shared_ptr<Memory>> here;
  Fetch::Place place = [this](std::uint32_t node, const wire::FoundFile& found) {
    auto& file = here[std::to_string(node) + found.path];
    if (!file) file = std::make_shared<Memory>();
    return file;
  };
};

TEST_F(FetchTest, BringsAllFilesOfAllNodes) {
  FakeTransport transport(
      2, [](std::uint32_t node, const wire::Message& message) -> std::vector<wire::Message> {
        if (std::holds_alternative<wire::Find>(message)) return {wire::Found{{{"/a", 2}, {"/b", 0}}, {}}};
        const auto& order = std::get<wire::Fetch>(message);
        const std::string text = order.path == "/b" ? "" : "n" + std::to_string(node);
        if (text.empty()) return {wire::Fetched{order.id, 0, hash("")}};
        return {wire::FetchPart{order.id, 0, false, text}, wire::Fetched{order.id, 2, hash(text)}};
      });
  Fetch fetch(transport, 2, {{"/*"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(here.at("0/a")->text, "n0");
  EXPECT_EQ(here.at("1/a")->text, "n1");
  EXPECT_EQ(fetch.nodes()[1].files[0].new_bytes, 2U);
  EXPECT_EQ(fetch.nodes()[1].files[1].reason, "");
}

TEST_F(FetchTest, AsksAgainForAFileThatWasDamagedOrCutShort) {
  int tries = 0;
  FakeTransport transport(1, [&](std::uint32_t, const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::Find>(message)) return {wire::Found{{{"/a", 3}}, {}}};
    const auto id = std::get<wire::Fetch>(message).id;
    ++tries;
    if (tries == 1)
      return {wire::FetchPart{id, 0, false, "ab"},
              wire::Fetched{id, 2, "", "was cut short while it was read"}};
    if (tries == 2) return {wire::FetchPart{id, 0, false, "axc"}, wire::Fetched{id, 3, hash("abc")}};
    return {wire::FetchPart{id, 0, false, "abc"}, wire::Fetched{id, 3, hash("abc")}};
  });
  Fetch fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(here.at("0/a")->text, "abc");
  EXPECT_EQ(fetch.nodes()[0].files[0].reason, "");
  EXPECT_EQ(tries, 3);
}

TEST_F(FetchTest, GivesAFileUpThatIsDamagedEachTime) {
  FakeTransport transport(1, [&](std::uint32_t, const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::Find>(message)) return {wire::Found{{{"/a", 3}}, {}}};
    const auto id = std::get<wire::Fetch>(message).id;
    return {wire::FetchPart{id, 0, false, "axc"}, wire::Fetched{id, 3, hash("abc")}};
  });
  Fetch fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].files[0].reason, "what has come of it is not what was sent");
}

TEST_F(FetchTest, NamesWhyANodeHasNothing) {
  FakeTransport transport(3,
                          [](std::uint32_t node, const wire::Message& message) -> std::vector<wire::Message> {
                            if (!std::holds_alternative<wire::Find>(message)) return {};
                            if (node == 0) return {wire::Found{{}, {}, "more than 10 files match"}};
                            if (node == 1) return {wire::FetchPart{7, 0, false, "?"}};
                            return {wire::Found{{}, {"/x: a symbolic link"}}};
                          });
  Fetch fetch(transport, 3, {{"/*"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].reason, "more than 10 files match");
  EXPECT_EQ(fetch.nodes()[1].reason, "bytes of a file that was not asked for");
  EXPECT_EQ(fetch.nodes()[2].reason, "");
  EXPECT_EQ(fetch.nodes()[2].left_out, std::vector<std::string>{"/x: a symbolic link"});
}

TEST_F(FetchTest, GoesOnWithTheOthersWhereANodeIsLost) {
  FakeTransport* way = nullptr;
  FakeTransport transport(
      2, [&](std::uint32_t node, const wire::Message& message) -> std::vector<wire::Message> {
        if (std::holds_alternative<wire::Find>(message)) return {wire::Found{{{"/a", 2}}, {}}};
        const auto id = std::get<wire::Fetch>(message).id;
        if (node == 1) return {wire::FetchPart{id, 0, false, "ok"}, wire::Fetched{id, 2, hash("ok")}};
        way->lose(0, "cut off");
        return {wire::FetchPart{id, 0, false, "o"}};
      });
  way = &transport;
  Fetch fetch(transport, 2, {{"/*"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(fetch.nodes()[0].reason, "cut off");
  EXPECT_EQ(fetch.nodes()[0].files[0].reason, "cut off");
  EXPECT_EQ(here.at("1/a")->text, "ok");
}

TEST_F(FetchTest, BringsTheSecondTimeWhatHasGrown) {
  std::string text = "one";
  FakeTransport transport(1, [&](std::uint32_t, const wire::Message& message) -> std::vector<wire::Message> {
    if (std::holds_alternative<wire::Find>(message)) return {wire::Found{{{"/a", text.size()}}, {}}};
    const auto& order = std::get<wire::Fetch>(message);
    return {wire::FetchPart{order.id, order.offset, false, text.substr(order.offset)},
            wire::Fetched{order.id, text.size(), hash(text)}};
  });
  Fetch fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_TRUE(fetch.run(always));
  text += " two";
  EXPECT_TRUE(fetch.run(always));
  EXPECT_EQ(here.at("0/a")->text, "one two");
  EXPECT_EQ(fetch.nodes()[0].files[0].new_bytes, 4U);
}

TEST_F(FetchTest, EndsWhenToldTo) {
  FakeTransport transport(1, [](auto, const auto&) { return std::vector<wire::Message>{}; });
  Fetch fetch(transport, 1, {{"/a"}, 10}, place);
  EXPECT_FALSE(fetch.run([](const FetchProgress&) { return false; }));
}

}  // namespace
}  // namespace adarun::launcher
