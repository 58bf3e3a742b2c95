// SPDX-License-Identifier: Apache-2.0
#include "launcher/stage/staging.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>

#include "launcher/protocol/archive.h"
#include "tests/content_hash.h"
#include "tests/launcher/error_of.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

// Nodes that carry out messages late: what they were sent is queued until they take it.
struct FakeNodes {
  explicit FakeNodes(std::uint32_t count) : nodes(count), waiting(count), files(count) {}

  void collect() {
    for (const Outgoing& out : nodes.take_outgoing()) {
      for (const std::uint32_t node : out.nodes) waiting[node].push_back(out.message);
    }
  }
  std::size_t waiting_parts() const {
    std::size_t parts = 0;
    for (const auto& messages : waiting)
      for (const protocol::Message& message : messages)
        parts += std::holds_alternative<protocol::StagePart>(message) ? 1 : 0;
    return parts;
  }
  // Each node processes its queue; false if all queues were empty.
  bool take_all(Staging& staging) {
    bool any = false;
    for (std::uint32_t node = 0; node < waiting.size(); ++node)
      for (const protocol::Message& message : std::exchange(waiting[node], {})) {
        any = true;
        if (const auto* part = std::get_if<protocol::StagePart>(&message)) {
          std::string& file = files[node][part->item];
          EXPECT_EQ(part->offset, file.size());
          file += part->bytes;
          staging.take(node, protocol::StageTaken{static_cast<std::uint32_t>(part->bytes.size())});
        } else if (std::holds_alternative<protocol::StageEnd>(message)) {
          staging.take(node, protocol::Staged{});
        }
      }
    return any;
  }

  Nodes nodes;
  std::vector<std::vector<protocol::Message>> waiting;
  std::vector<std::map<std::uint32_t, std::string>> files;
};

class StagingTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    folder_.write(name, text);
    texts_[name] = text;
  }
  // Begins to stage all that was written to some nodes; `meanwhile` happens after the list was read.
  void begin(
      std::uint32_t nodes, const std::function<void()>& meanwhile = [] {}) {
    std::vector<std::string> texts;
    for (const auto& [name, text] : texts_) texts.push_back((folder_.path() / name).string() + ":" + name);
    list_ = read_stage_list(texts);
    meanwhile();
    far_.emplace(nodes);
    staging_.emplace(list_, "", far_->nodes);
    staging_->begin();
  }
  void say(std::uint32_t node, const protocol::Message& message) { staging_->take(node, message); }

  test::ScratchFolder folder_;
  std::map<std::string, std::string> texts_;
  StageList list_;
  std::optional<FakeNodes> far_;
  std::optional<Staging> staging_;
};

TEST_F(StagingTest, BringsAllFilesToManyNodesWithFewPartsOnTheirWay) {
  write("a", std::string(3'000'000, 'a'));
  write("b", "");
  write("c", "short");
  begin(100);
  far_->collect();
  for (std::uint32_t node = 0; node < 100; ++node) say(node, protocol::StagePresent{{"", "", ""}});
  std::size_t most_waiting = 0;
  do {
    far_->collect();
    most_waiting = std::max(most_waiting, far_->waiting_parts());
  } while (far_->take_all(*staging_));
  EXPECT_TRUE(staging_->ended());
  EXPECT_LE(most_waiting, 64U * 8U);
  EXPECT_EQ(staging_->progress().bytes_sent, 100U * 3'000'005U);
  for (const auto& files : far_->files) {
    EXPECT_EQ(files.at(0), texts_["a"]);
    EXPECT_EQ(files.at(1), "");
    EXPECT_EQ(files.at(2), "short");
  }
}

TEST_F(StagingTest, SendsOnlyWhatANodeHasNotWithTheSameContent) {
  write("a", "alpha");
  write("b", "beta");
  begin(4);
  say(0, protocol::StagePresent{{base::hash_of_text("alpha"), base::hash_of_text("beta")}});
  say(1, protocol::StagePresent{{base::hash_of_text("ALPHA"), base::hash_of_text("beta")}});
  say(2, protocol::StagePresent{{"", ""}});
  say(3, protocol::StagePresent{{"no hash", base::hash_of_text("beta").substr(0, 15)}});
  EXPECT_TRUE(staging_->reading());
  while (staging_->reading()) staging_->tick();
  do far_->collect();
  while (far_->take_all(*staging_));
  EXPECT_TRUE(staging_->ended());
  EXPECT_EQ(far_->files[0].size(), 0U);
  EXPECT_EQ(far_->files[1], (std::map<std::uint32_t, std::string>{{0, "alpha"}}));
  EXPECT_EQ(far_->files[2].size(), 2U);
  EXPECT_EQ(far_->files[3].size(), 2U);
  EXPECT_EQ(staging_->progress().files_kept, 3U);
  EXPECT_EQ(staging_->progress().bytes_due, 23U);
}

TEST_F(StagingTest, ReadsNoFileHereThatNoNodeHas) {
  write("a", "alpha");
  begin(1);
  say(0, protocol::StagePresent{{""}});
  EXPECT_FALSE(staging_->reading());
}

TEST_F(StagingTest, LetsNoNodeTakeWhatItWasNotSent) {
  write("a", "alpha");
  begin(2);
  EXPECT_THROW(say(0, protocol::StageTaken{0}), protocol::Error);
  EXPECT_THROW(say(0, protocol::Staged{}), protocol::Error);
  EXPECT_THROW(say(0, protocol::StagePresent{{"", ""}}), protocol::Error);
  for (const std::uint32_t node : {0U, 1U}) say(node, protocol::StagePresent{{""}});
  EXPECT_THROW(say(0, protocol::StagePresent{{""}}), protocol::Error);
  EXPECT_THROW(say(0, protocol::StageTaken{6}), protocol::Error);
  EXPECT_THROW(say(0, protocol::Staged{}), protocol::Error);
  say(0, protocol::StageTaken{5});
  EXPECT_THROW(say(0, protocol::StageTaken{0}), protocol::Error);
  say(0, protocol::Staged{});
  EXPECT_THROW(say(0, protocol::Staged{}), protocol::Error);
  EXPECT_EQ(staging_->progress().nodes_done, 1U);
  EXPECT_EQ(staging_->progress().bytes_sent, 5U);
}

TEST_F(StagingTest, RefusesAFileThatIsAnotherOneByNow) {
  write("a", "alpha");
  begin(1, [this] { folder_.write("a", "a longer one"); });
  EXPECT_EQ(error_of([this] { say(0, protocol::StagePresent{{""}}); }),
            (folder_.path() / "a").string() + ": was written to while it was being staged");
}

TEST_F(StagingTest, AnEmptyListIsDoneAtOnce) {
  begin(2);
  EXPECT_TRUE(staging_->ended());
  EXPECT_TRUE(far_->nodes.take_outgoing().empty());
}

TEST_F(StagingTest, KnowsItsPlaces) {
  write("file", "x");
  const std::string file = folder_.path() / "file";
  const std::vector<std::pair<std::string, std::string>> cases{
      {file, file},
      {file + ":name", "name"},
      {file + ":./in//a/../folder/", "in/folder/file"},
      {file + ":/absolute/name", "/absolute/name"},
      {folder_.path().string() + "/:tree/", "tree/" + folder_.path().filename().string()}};
  for (const auto& [text, place] : cases) EXPECT_EQ(read_stage_list({text}).front().item.path, place) << text;
}

}  // namespace
}  // namespace adarun::launcher
