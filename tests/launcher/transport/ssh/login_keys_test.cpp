// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/login_keys.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "launcher/base/error.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

class LoginKeysTest : public testing::Test {
 protected:
  // A new key, made by OpenSSH. Returns its file.
  std::string make_key(const std::string& passphrase = "") {
    const std::string file = folder_ / "id";
    const pid_t child = fork();
    if (child == 0) {
      execlp("ssh-keygen", "ssh-keygen", "-q", "-t", "ed25519", "-C", "", "-N", passphrase.c_str(), "-f",
             file.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    EXPECT_EQ(status_of(child), 0);
    return file;
  }

  // The exit status of a child process; -1 if it has none.
  static int status_of(pid_t child) {
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
  }

  test::ScratchFolder scratch_;
  const std::filesystem::path& folder_ = scratch_.path();
};

SshSettings settings_with(const std::string& file) {
  SshSettings settings;
  settings.identities = {file};
  return settings;
}

TEST_F(LoginKeysTest, APrivateKeyIsRead) {
  const std::string file = make_key();
  KeyRing ring;
  const auto keys = ring.keys_for(settings_with(file), file);
  EXPECT_EQ(keys->keys.size(), 1u);
  EXPECT_TRUE(keys->locked.empty());
}

TEST_F(LoginKeysTest, AKeyWithAPassphraseIsNamedUnlessItIsRequired) {
  const std::string file = make_key("secret");
  KeyRing ring;
  EXPECT_EQ(ring.keys_for(settings_with(file), "")->locked, std::vector<std::string>{file});
  KeyRing other;
  EXPECT_THROW(other.keys_for(settings_with(file), file), Error);
}

// In a process of its own, in which core files are enabled at first.
TEST_F(LoginKeysTest, AProcessThatHasReadAPrivateKeyWritesNoCoreFile) {
  const std::string file = make_key();
  const pid_t child = fork();
  if (child == 0) {
    ::prctl(PR_SET_DUMPABLE, 1);
    KeyRing ring;
    ring.keys_for(settings_with(file), file);
    _exit(::prctl(PR_GET_DUMPABLE));
  }
  EXPECT_EQ(status_of(child), 0);
}

}  // namespace
}  // namespace adarun::launcher
