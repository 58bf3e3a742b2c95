// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/agent_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

AgentBuild build_of(const std::string& content) {
  utsname names{};
  uname(&names);
  base::Blake2b hash;
  hash.update(content);
  const auto owner = std::make_shared<const std::string>(content);
  return {"agent", *owner, hash.hex(), names.machine, owner};
}

/// A node without an installed agent, simulated by folders of this machine: the output of the agent call.
class AgentCall : public testing::Test {
 protected:
  AgentCall() {
    for (const char* folder : {"home", "home/adarun", "tmp"}) {
      fs::create_directory(root_ / fs::path(folder));
      fs::permissions(root_ / fs::path(folder), fs::perms::owner_all);
    }
  }

  fs::path home() const { return fs::path(root_) / "home/adarun"; }
  fs::path temporary() const { return fs::path(root_) / "tmp" / ("adarun-" + std::to_string(geteuid())); }
  std::string name() const { return "agent-" + build_.hash.substr(0, 16); }

  // With any content, under the name of a build that an earlier launch has copied.
  void keep(const fs::path& folder, std::string_view content, mode_t mode = 0700) {
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
    std::ofstream(folder / name()) << content;
    chmod((folder / name()).c_str(), mode);
  }

  // Its stdout and stderr behind the mark with which it begins. The build is on its stdin. The login shell of
  // a node gets it as one line.
  std::string call(const std::string& path = "/usr/bin:/bin") const {
    const std::string build = root_ + "/build";
    std::ofstream(build) << build_.content;
    const std::string line = agent_call({"no-such-agent", {}, {build_}});
    const std::vector<std::string> variables = {"PATH=" + path, "XDG_CACHE_HOME=" + root_ + "/home",
                                                "TMPDIR=" + root_ + "/tmp"};
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(open(build.c_str(), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
      for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(ends[1], stream);
      const std::array<const char*, 4> words{"sh", "-c", line.c_str(), nullptr};
      const std::array<const char*, 4> environment{variables[0].c_str(), variables[1].c_str(),
                                                   variables[2].c_str(), nullptr};
      execve("/bin/sh", const_cast<char* const*>(words.data()), const_cast<char* const*>(environment.data()));
      _exit(127);
    }
    close(ends[1]);
    const base::FileDescriptor output(ends[0]);
    std::string said;
    std::array<char, 4096> bytes{};
    for (ssize_t size = 0; (size = read(output.get(), bytes.data(), bytes.size())) > 0;)
      said.append(bytes.data(), static_cast<std::size_t>(size));
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(said.starts_with(begun_mark)) << said;
    return said.substr(std::min(said.size(), std::string_view(begun_mark).size()));
  }

  test::ScratchFolder scratch_;
  const std::string root_ = scratch_.path();
  AgentBuild build_ = build_of("#!/bin/sh\n[ $1 = --hash ] && b2sum -l 256 <$0 | head -c 64 || echo $2\n");
};

TEST_F(AgentCall, FindsInTheHomeWhatItHasBrought) {
  EXPECT_NE(call().find("\x01"
                        "adarun-agent wanted: agent\nbrought to " +
                        home().string()),
            std::string::npos)
      << call();
  EXPECT_EQ(call().find("found in " + home().string()), 0U) << call();
  EXPECT_FALSE(fs::exists(temporary()));
}

TEST_F(AgentCall, RunsNothingBeforeItsHashIsRight) {
  keep(home(), "#!/bin/sh\ntouch " + root_ + "/ran\n[ $1 = --hash ] && echo " + build_.hash + "\n");
  EXPECT_NE(call().find("brought to " + home().string()), std::string::npos);
  EXPECT_FALSE(fs::exists(root_ + "/ran"));
}

TEST_F(AgentCall, LooksNowhereElseWhileTheHomeWorks) {
  keep(temporary(), build_.content);
  EXPECT_NE(call().find("brought to " + home().string()), std::string::npos);
}

TEST_F(AgentCall, LeavesAProgramAloneThatOthersCanWrite) {
  keep(home(), build_.content, 0722);
  EXPECT_NE(call().find("brought to " + home().string()), std::string::npos);
  struct stat facts {};
  ASSERT_EQ(stat((home() / name()).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
}

TEST_F(AgentCall, PassesOverAFolderThatOthersCanWriteOrTheOneAboveIt) {
  for (const fs::path& open : {home(), home().parent_path()})
    for (const mode_t mode : {0720U, 0702U}) {
      keep(home(), build_.content);
      fs::remove_all(temporary());
      chmod(open.c_str(), mode);
      EXPECT_NE(call().find("brought to " + temporary().string()), std::string::npos) << open << call();
      chmod(open.c_str(), 0700);
    }
}

TEST_F(AgentCall, TakesAFolderInOneThatKeepsFilesToTheirOwners) {
  keep(home(), build_.content);
  chmod(home().parent_path().c_str(), 01777);
  EXPECT_EQ(call().find("found in " + home().string()), 0U) << call();
}

TEST_F(AgentCall, PassesOverALink) {
  fs::remove(home());
  keep(fs::path(root_) / "elsewhere", build_.content);
  fs::create_directory_symlink(root_ + "/elsewhere", home());
  EXPECT_NE(call().find("brought to " + temporary().string()), std::string::npos);
}

TEST_F(AgentCall, PassesOverAFolderAndAProgramOfSomebodyElse) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  keep(home(), build_.content);
  ASSERT_EQ(chown((home() / name()).c_str(), 65'533, 65'533), 0);
  EXPECT_NE(call().find("brought to " + home().string()), std::string::npos);
  ASSERT_EQ(chown(home().parent_path().c_str(), 65'533, 65'533), 0);
  EXPECT_NE(call().find("brought to " + temporary().string()), std::string::npos);
  ASSERT_EQ(chown(temporary().c_str(), 65'533, 65'533), 0);
  const std::string said = call();
  EXPECT_NE(said.find("no place there: " + home().string() + ": others can write there or above; "),
            std::string::npos)
      << said;
  EXPECT_NE(said.find(temporary().string() + ": it belongs to somebody else"), std::string::npos) << said;
}

TEST_F(AgentCall, BringsItEachTimeWhereHashesCannotBeMade) {
  const std::string bin = root_ + "/bin";
  fs::create_directory(bin);
  for (const char* tool : {"cat", "chmod", "head", "id", "mkdir", "mktemp", "mv", "rm", "stat", "uname"})
    fs::create_symlink(std::string("/bin/") + tool, bin + "/" + tool);
  build_ = build_of("#!/bin/sh\n[ $1 = --hash ] && /usr/bin/b2sum -l 256 <$0 | head -c 64 || echo $2\n");
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(call(bin).find("brought to " + home().string()), std::string::npos) << call(bin);
}

}  // namespace
}  // namespace adarun::launcher
