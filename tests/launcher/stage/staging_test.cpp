// SPDX-License-Identifier: Apache-2.0
#include "launcher/stage/staging.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/blake2b.h"
#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

class StagingTest : public testing::Test {
 protected:
  StagingTest() { fs::create_directories(folder_); }
  ~StagingTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    texts_[name] = text;
  }
  StageList list() {
    std::vector<std::string> texts;
    for (const auto& [name, text] : texts_) texts.push_back((folder_ / name).string() + ":" + name);
    return read_stage_list(texts);
  }
  static std::string hash(const std::string& text) {
    base::Blake2b hash;
    hash.update(text);
    return hash.hex();
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("staging_test_" + std::to_string(getpid()));
  std::map<std::string, std::string> texts_;
};

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

TEST_F(StagingTest, BringsAllFilesToManyNodesWithFewPartsOnTheirWay) {
  write("a", std::string(3'000'000, 'a'));
  write("b", "");
  write("c", "short");
  const StageList things = list();
  FakeNodes far(100);
  Staging staging(things, "", far.nodes);
  staging.begin();
  far.collect();
  for (std::uint32_t node = 0; node < 100; ++node) staging.take(node, protocol::StagePresent{{"", "", ""}});
  std::size_t most_waiting = 0;
  do {
    far.collect();
    most_waiting = std::max(most_waiting, far.waiting_parts());
  } while (far.take_all(staging));
  EXPECT_TRUE(staging.ended());
  EXPECT_LE(most_waiting, 64U * 8U);
  EXPECT_EQ(staging.progress().bytes_sent, 100U * 3'000'005U);
  for (const auto& files : far.files) {
    EXPECT_EQ(files.at(0), texts_["a"]);
    EXPECT_EQ(files.at(1), "");
    EXPECT_EQ(files.at(2), "short");
  }
}

TEST_F(StagingTest, SendsOnlyWhatANodeHasNotWithTheSameContent) {
  write("a", "alpha");
  write("b", "beta");
  const StageList things = list();
  FakeNodes far(4);
  Staging staging(things, "", far.nodes);
  staging.begin();
  staging.take(0, protocol::StagePresent{{hash("alpha"), hash("beta")}});
  staging.take(1, protocol::StagePresent{{hash("ALPHA"), hash("beta")}});
  staging.take(2, protocol::StagePresent{{"", ""}});
  staging.take(3, protocol::StagePresent{{"no hash", hash("beta").substr(0, 15)}});
  EXPECT_TRUE(staging.reading());
  while (staging.reading()) staging.tick();
  do far.collect();
  while (far.take_all(staging));
  EXPECT_TRUE(staging.ended());
  EXPECT_EQ(far.files[0].size(), 0U);
  EXPECT_EQ(far.files[1], (std::map<std::uint32_t, std::string>{{0, "alpha"}}));
  EXPECT_EQ(far.files[2].size(), 2U);
  EXPECT_EQ(far.files[3].size(), 2U);
  EXPECT_EQ(staging.progress().files_kept, 3U);
  EXPECT_EQ(staging.progress().bytes_due, 23U);
}

TEST_F(StagingTest, ReadsNoFileHereThatNoNodeHas) {
  write("a", "alpha");
  const StageList things = list();
  FakeNodes far(1);
  Staging staging(things, "", far.nodes);
  staging.begin();
  staging.take(0, protocol::StagePresent{{""}});
  EXPECT_FALSE(staging.reading());
}

TEST_F(StagingTest, LetsNoNodeTakeWhatItWasNotSent) {
  write("a", "alpha");
  const StageList things = list();
  FakeNodes far(2);
  Staging staging(things, "", far.nodes);
  staging.begin();
  EXPECT_THROW(staging.take(0, protocol::StageTaken{0}), protocol::Error);
  EXPECT_THROW(staging.take(0, protocol::Staged{}), protocol::Error);
  EXPECT_THROW(staging.take(0, protocol::StagePresent{{"", ""}}), protocol::Error);
  for (const std::uint32_t node : {0U, 1U}) staging.take(node, protocol::StagePresent{{""}});
  EXPECT_THROW(staging.take(0, protocol::StagePresent{{""}}), protocol::Error);
  EXPECT_THROW(staging.take(0, protocol::StageTaken{6}), protocol::Error);
  EXPECT_THROW(staging.take(0, protocol::Staged{}), protocol::Error);
  staging.take(0, protocol::StageTaken{5});
  EXPECT_THROW(staging.take(0, protocol::StageTaken{0}), protocol::Error);
  staging.take(0, protocol::Staged{});
  EXPECT_THROW(staging.take(0, protocol::Staged{}), protocol::Error);
  EXPECT_EQ(staging.progress().nodes_done, 1U);
  EXPECT_EQ(staging.progress().bytes_sent, 5U);
}

TEST_F(StagingTest, RefusesAFileThatIsAnotherOneByNow) {
  write("a", "alpha");
  const StageList things = list();
  write("a", "a longer one");
  FakeNodes far(1);
  Staging staging(things, "", far.nodes);
  staging.begin();
  try {
    staging.take(0, protocol::StagePresent{{""}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              (folder_ / "a").string() + ": was written to while it was being staged");
  }
}

TEST_F(StagingTest, AnEmptyListIsDoneAtOnce) {
  FakeNodes far(2);
  const StageList nothing;
  Staging staging(nothing, "", far.nodes);
  staging.begin();
  EXPECT_TRUE(staging.ended());
  EXPECT_TRUE(far.nodes.take_outgoing().empty());
}

TEST_F(StagingTest, KnowsItsPlaces) {
  write("file", "x");
  const std::string file = folder_ / "file";
  const std::vector<std::pair<std::string, std::string>> cases{
      {file, file},
      {file + ":name", "name"},
      {file + ":./in//a/../folder/", "in/folder/file"},
      {file + ":/absolute/name", "/absolute/name"},
      {folder_.string() + "/:tree/", "tree/" + folder_.filename().string()}};
  for (const auto& [text, place] : cases) EXPECT_EQ(read_stage_list({text}).front().item.path, place) << text;
}

}  // namespace
}  // namespace adarun::launcher
