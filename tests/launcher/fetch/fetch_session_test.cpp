// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch_session.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "base/version.h"
#include "launcher/base/error.h"
#include "tests/content_hash.h"
#include "tests/launcher/transport/fake_transport.h"

namespace adarun::launcher {
namespace {

const auto hash = base::hash_of_text;

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

using Messages = std::vector<protocol::Message>;

// What a node sends of a file that has, or should have, this text.
Messages file(std::uint32_t id, const std::string& sent, const std::string& text) {
  return {protocol::FetchPart{id, 0, false, sent}, protocol::Fetched{id, text.size(), hash(text)}};
}
Messages file(std::uint32_t id, const std::string& text) {
  return file(id, text, text);
}

Messages listing(std::vector<protocol::FoundFile> files) {
  return {protocol::FileListing{std::move(files), {}}};
}

class FetchTest : public testing::Test {
 protected:
  using Find = std::function<Messages(std::uint32_t node)>;
  using Send = std::function<Messages(std::uint32_t node, const protocol::Fetch& order)>;

  // Fetches the files, 10 of a node at most, of nodes that answer so.
  void fetch(std::uint32_t nodes, const Find& find, const Send& send, std::uint32_t most_files = 10,
             std::chrono::milliseconds silence = std::chrono::minutes(5)) {
    transport_.emplace(nodes, [find, send](std::uint32_t node, const protocol::Message& message) -> Messages {
      if (std::holds_alternative<protocol::Find>(message)) return find(node);
      const auto* order = std::get_if<protocol::Fetch>(&message);
      return order == nullptr ? Messages{} : send(node, *order);
    });
    session_.emplace(*transport_, nodes, protocol::Find{{"/*"}, most_files}, place_, silence);
    run();
  }
  void run() {
    EXPECT_TRUE(session_->run([](const FetchProgress&) { return true; }));
  }
  const FetchedNode& node(std::size_t index) const { return session_->nodes()[index]; }

  std::map<std::string, std::shared_ptr<Memory>> here_;
  FetchSession::Place place_ = [this](std::uint32_t node, const protocol::FoundFile& found) {
    auto& file = here_[std::to_string(node) + found.path];
    if (!file) file = std::make_shared<Memory>();
    return file;
  };
  std::optional<FakeTransport> transport_;
  std::optional<FetchSession> session_;
};

TEST_F(FetchTest, BringsAllFilesOfAllNodes) {
  fetch(
      2,
      [](std::uint32_t) {
        return listing({{"/a", 2}, {"/b", 0}});
      },
      [](std::uint32_t node, const protocol::Fetch& order) -> Messages {
        if (order.path == "/b") return {protocol::Fetched{order.id, 0, hash("")}};
        return file(order.id, "n" + std::to_string(node));
      });
  EXPECT_EQ(here_.at("0/a")->text, "n0");
  EXPECT_EQ(here_.at("1/a")->text, "n1");
  EXPECT_EQ(node(1).files[0].new_bytes, 2U);
  EXPECT_EQ(node(1).files[1].reason, "");
}

TEST_F(FetchTest, AsksAgainForAFileThatWasDamagedOrCutShort) {
  int tries = 0;
  fetch(
      1,
      [](std::uint32_t) {
        return listing({{"/a", 3}});
      },
      [&](std::uint32_t, const protocol::Fetch& order) -> Messages {
        if (++tries == 1)
          return {protocol::FetchPart{order.id, 0, false, "ab"},
                  protocol::Fetched{order.id, 2, "", "was cut short while it was read"}};
        return file(order.id, tries == 2 ? "axc" : "abc", "abc");
      });
  EXPECT_EQ(here_.at("0/a")->text, "abc");
  EXPECT_EQ(node(0).files[0].reason, "");
  EXPECT_EQ(tries, 3);
}

TEST_F(FetchTest, GivesAFileUpThatIsDamagedEachTime) {
  fetch(
      1,
      [](std::uint32_t) {
        return listing({{"/a", 3}});
      },
      [](std::uint32_t, const protocol::Fetch& order) { return file(order.id, "axc", "abc"); });
  EXPECT_EQ(node(0).files[0].reason, "what has come of it is not what was sent");
}

TEST_F(FetchTest, NamesWhyANodeHasNothing) {
  const std::vector<protocol::Message> answers{
      protocol::FileListing{{}, {}, "more than 10 files match"},
      protocol::FetchPart{7, 0, false, "?"},
      protocol::FileListing{{}, {"/x: a symbolic link"}},
      protocol::FileListing{std::vector<protocol::FoundFile>(11), {}},
      protocol::FileListing{{}, std::vector<std::string>(11)},
      protocol::Hello{base::version(), "h", 1, 0}};
  fetch(
      6, [&](std::uint32_t node) { return Messages{answers[node]}; },
      [](std::uint32_t, const protocol::Fetch&) { return Messages{}; });
  const std::vector<std::string> reasons{
      "more than 10 files match",       "bytes of a file that was not asked for", "",
      "it tells of more than 10 files", "it tells of more than 10 files",         "a second Hello"};
  for (std::size_t i = 0; i < reasons.size(); ++i) EXPECT_EQ(node(i).reason, reasons[i]) << i;
  EXPECT_EQ(node(2).left_out, std::vector<std::string>{"/x: a symbolic link"});
  EXPECT_TRUE(here_.empty());
}

// Its parts are not consecutive, or there is no space for them.
TEST_F(FetchTest, ContinuesWithTheOthersWhereWhatANodeSendsCannotBeWritten) {
  struct Refusing : Memory {
    void take(std::uint64_t, std::string_view) override { throw Error("a part of this file is missing"); }
  };
  place_ = [place = place_](std::uint32_t node, const protocol::FoundFile& found) {
    return node == 0 ? std::make_shared<Refusing>() : place(node, found);
  };
  fetch(
      2,
      [](std::uint32_t) {
        return listing({{"/a", 2}});
      },
      [](std::uint32_t, const protocol::Fetch& order) { return file(order.id, "ok"); });
  EXPECT_EQ(node(0).reason, "a part of this file is missing");
  EXPECT_EQ(node(1).reason, "");
  EXPECT_EQ(here_.at("1/a")->text, "ok");
}

TEST_F(FetchTest, ContinuesWithTheOthersWhereANodeIsLost) {
  fetch(
      2,
      [](std::uint32_t node) {
        return listing(std::vector<protocol::FoundFile>(node == 0 ? 40 : 1, {"/a", 2}));
      },
      [this](std::uint32_t node, const protocol::Fetch& order) -> Messages {
        if (node == 1) return file(order.id, "ok");
        transport_->lose(0, "cut off");
        return {protocol::FetchPart{order.id, 0, false, "o"}};
      },
      40);
  EXPECT_EQ(node(0).reason, "cut off");
  EXPECT_EQ(node(0).files[0].reason, "cut off");
  EXPECT_EQ(node(0).files[39].reason, "cut off") << "never asked for";
  EXPECT_EQ(here_.at("1/a")->text, "ok");
}

// Without the limit the session would wait for each of them for ever.
TEST_F(FetchTest, GivesUpANodeThatSendsNothingNew) {
  fetch(
      3,
      [](std::uint32_t node) {
        return node == 0 ? Messages{} : listing({{"/a", 2}});
      },
      [this](std::uint32_t node, const protocol::Fetch& order) {
        if (node == 2) return file(order.id, "ok");
        transport_->again = {1, protocol::FetchPart{order.id, 0, false, "o"}};
        return Messages{};
      },
      10, std::chrono::milliseconds(5));
  const std::string reason = "its agent answers, but has sent nothing new for 5 ms";
  EXPECT_EQ(node(0).reason, reason);
  EXPECT_EQ(node(1).reason, reason);
  EXPECT_EQ(node(2).reason, "");
}

TEST_F(FetchTest, BringsTheSecondTimeWhatHasGrown) {
  std::string text = "one";
  fetch(
      1,
      [&](std::uint32_t) {
        return listing({{"/a", text.size()}});
      },
      [&](std::uint32_t, const protocol::Fetch& order) -> Messages {
        return {protocol::FetchPart{order.id, order.offset, false, text.substr(order.offset)},
                protocol::Fetched{order.id, text.size(), hash(text)}};
      });
  text += " two";
  run();
  EXPECT_EQ(here_.at("0/a")->text, "one two");
  EXPECT_EQ(node(0).files[0].new_bytes, 4U);
}

TEST_F(FetchTest, EndsWhenToldTo) {
  FakeTransport transport(1, [](auto, const auto&) { return Messages{}; });
  FetchSession fetch(transport, 1, {{"/a"}, 10}, place_);
  EXPECT_FALSE(fetch.run([](const FetchProgress&) { return false; }));
}

}  // namespace
}  // namespace adarun::launcher
