// SPDX-License-Identifier: Apache-2.0
// Files that the built agent finds and sends.
#include "launcher/agent/files/file_sender.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "launcher/protocol/pack.h"
#include "tests/content_hash.h"
#include "tests/launcher/agent/agent_process.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

namespace fs = std::filesystem;

const auto hash = base::hash_of_text;

class AgentFetch : public AgentTest {
 protected:
  void write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  // The files that the agent finds, without their folder, and those that it leaves out.
  std::string find(std::vector<std::string> patterns, std::uint32_t most = 100) {
    for (std::string& pattern : patterns) pattern.insert(0, folder_.path().string() + "/");
    agent_.send(protocol::Find{patterns, most});
    const auto found = agent_.take<protocol::FileListing>();
    if (!found) return "no answer";
    std::string text = found->refusal;
    const std::size_t off = folder_.path().string().size() + 1;
    for (const protocol::FoundFile& file : found->files) text += file.path.substr(off) + " ";
    for (const std::string& each : found->left_out) text += "(" + each.substr(off) + ") ";
    return text;
  }

  struct Got {
    std::string text;
    protocol::Fetched end;
    std::size_t packed_parts = 0;
    std::uint64_t first_offset = 0;
  };
  Got fetch(const std::string& name, std::uint64_t offset = 0, const std::string& hash_before = {}) {
    agent_.send(protocol::Fetch{++id_, folder_.path() / name, offset, hash_before});
    Got got;
    if (const auto end = agent_.take<protocol::Fetched>()) got.end = *end;
    bool is_first = true;
    for (const protocol::Message& message : agent_.seen()) {
      const auto* part = std::get_if<protocol::FetchPart>(&message);
      if (part == nullptr || part->id != id_) continue;
      if (std::exchange(is_first, false)) got.first_offset = part->offset;
      got.packed_parts += part->is_packed ? 1 : 0;
      got.text += part->is_packed ? protocol::unpack(part->bytes, 1U << 20U) : part->bytes;
    }
    return got;
  }

  std::uint32_t id_ = 0;
};

TEST_F(AgentFetch, FindsFilesAsAShellDoes) {
  for (const char* name : {"a.log", "b.log", "c.txt", ".hidden.log", "d/a.log", "e/a.log", "e/f/x"})
    write(name, "");
  EXPECT_EQ(find({"*.log"}), "a.log b.log ");
  EXPECT_EQ(find({"?.log", "b.*"}), "a.log b.log ");
  EXPECT_EQ(find({"*/a.log"}), "d/a.log e/a.log ");
  EXPECT_EQ(find({"[de]/*"}), "d/a.log e/a.log e/f/x ");
  EXPECT_EQ(find({"e"}), "e/a.log e/f/x ");
  EXPECT_EQ(find({"c.txt", "missing", "c.txt/d", "*/missing/*"}), "c.txt ");
}

TEST_F(AgentFetch, FindsNamesThatNobodyShouldChoose) {
  write("a b\n.log", "");
  write("a*.log", "");
  write("\xc3\xa4\xff.log", "");
  EXPECT_EQ(find({"*.log"}), "a b\n.log a*.log \xc3\xa4\xff.log ");
  EXPECT_EQ(find({"a\\*.log"}), "a*.log ");
  EXPECT_EQ(fetch("a b\n.log").end.reason, "");
}

TEST_F(AgentFetch, LeavesOutLinksItWasNotToldOfAndWhatIsNoFile) {
  write("d/a.log", "");
  fs::create_symlink("/etc", folder_.path() / "out");
  fs::create_symlink("d/a.log", folder_.path() / "l.log");
  fs::create_symlink("d", folder_.path() / "e");
  ASSERT_EQ(mkfifo((folder_.path() / "p.log").c_str(), 0600), 0);
  EXPECT_EQ(find({"*.log"}), "(l.log: a symbolic link) (p.log: no regular file) ");
  EXPECT_EQ(find({"*/passwd"}), "(e: a symbolic link) (out: a symbolic link) ");
  EXPECT_EQ(find({"e/a.log"}), "e/a.log ") << "it was named";
  EXPECT_EQ(fetch("l.log").end.reason, "a symbolic link");
  EXPECT_EQ(fetch("p.log").end.reason, "no regular file");
}

TEST_F(AgentFetch, RefusesMoreFilesThanWereAskedFor) {
  for (int i = 0; i < 5; ++i) write(std::to_string(i), "");
  EXPECT_EQ(find({"*"}, 4), "more than 4 files match");
}

TEST_F(AgentFetch, SendsAFileFromAnOffsetWhereWhatComesBeforeIsTheSame) {
  write("a", "0123456789");
  EXPECT_EQ(fetch("a").text, "0123456789");
  const Got rest = fetch("a", 4, hash("0123"));
  EXPECT_EQ(rest.text, "456789");
  EXPECT_EQ(rest.first_offset, 4U);
  EXPECT_EQ(rest.end.hash, hash("0123456789"));
  EXPECT_EQ(fetch("a", 4, hash("012x")).text, "0123456789");
  EXPECT_EQ(fetch("a", 11, hash("0123456789a")).text, "0123456789");
  EXPECT_EQ(fetch("a", 4).text, "456789") << "unseen";
  EXPECT_EQ(fetch("a", 10, hash("0123456789")).text, "");
  EXPECT_EQ(fetch("missing").end.reason, "No such file or directory");
}

TEST_F(AgentFetch, PacksWhatThatMakesSmaller) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "epoch: 1 step: " + std::to_string(i) + ", loss is 2.3\n";
  write("text", text);
  const Got packed = fetch("text");
  EXPECT_EQ(packed.text, text);
  EXPECT_GT(packed.packed_parts, 5U);
  EXPECT_EQ(packed.end.hash, hash(text));

  std::mt19937 random(1);
  std::string noise(3'000'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  write("noise", noise);
  const Got plain = fetch("noise");
  EXPECT_EQ(plain.text, noise);
  EXPECT_EQ(plain.packed_parts, 0U);
}

constexpr int many = 2'000;

/// A folder of many files, and how many steps a search in it takes.
class FileWalkInALargeFolder : public testing::Test {
 protected:
  FileWalkInALargeFolder() {
    for (int i = 0; i < many; ++i) scratch_.write(std::to_string(i) + ".log", "");
  }

  int search(std::uint32_t most_files) {
    FileWalk walk({{(scratch_.path() / "*.log").string()}, most_files});
    int steps = 0;
    while (walk.advance()) ++steps;
    found_ = walk.take();
    return steps;
  }

  test::ScratchFolder scratch_;
  protocol::FileListing found_;
};

TEST_F(FileWalkInALargeFolder, TakesItInSmallSteps) {
  EXPECT_GE(search(many), many / FileWalk::names_per_step) << "the agent answers Pings between steps";
  EXPECT_EQ(found_.files.size(), static_cast<std::size_t>(many));
  EXPECT_EQ(found_.files.front().path, (scratch_.path() / "0.log").string());
  EXPECT_EQ(found_.refusal, "");
}

TEST_F(FileWalkInALargeFolder, EndsWithTheFirstFileThatIsTooMany) {
  EXPECT_LT(search(10), many / FileWalk::names_per_step);
  EXPECT_EQ(found_.refusal, "more than 10 files match");
  EXPECT_TRUE(found_.files.empty()) << "the launcher takes no more files than it asked for";
}

}  // namespace
}  // namespace adarun::launcher::agent
