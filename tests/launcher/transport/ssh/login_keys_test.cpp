// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/login_keys.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/agent_login.h"
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

TEST_F(LoginKeysTest, APublicKeyOfAFileIsNamedAlsoWhereTheFileIsLocked) {
  SshSettings settings = settings_with(make_key("secret"));
  settings.agent_socket = "/agent";
  for (const bool only : {false, true}) {
    settings.identities_only = only;
    const auto keys = KeyRing().keys_for(settings, "");
    EXPECT_EQ(keys->named.size(), 1u);
    EXPECT_EQ(keys->identities_only, only);
    EXPECT_EQ(keys->agent_socket, "/agent");
  }
  settings.identities = {folder_ / "none"};
  EXPECT_EQ(KeyRing().keys_for(settings, "")->agent_socket, "") << "no key of the agent may be offered";
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

// The keys that are offered of an agent with the keys "one", "two" and "six".
std::vector<std::string> offered_keys(const std::string& answer, const LoginKeys& keys) {
  std::vector<std::string> offered;
  for (const AgentIdentity& each : identities_to_offer(answer, keys)) offered.push_back(each.public_key);
  return offered;
}

std::string with_size(const std::string& bytes) {
  return std::string{'\0', '\0', '\0', static_cast<char>(bytes.size())} + bytes;
}

const std::string three_keys = std::string{12, '\0', '\0', '\0', 3} + with_size("one") + with_size("first") +
                               with_size("two") + with_size("second") + with_size("six") + with_size("third");

TEST(AgentIdentities, ThoseOfIdentityFilesAreOfferedFirstInTheirOrder) {
  using Keys = std::vector<std::string>;
  const std::string one = "b25l";
  const std::string two = "dHdv";
  const std::string six = "c2l4";
  LoginKeys keys;
  EXPECT_EQ(offered_keys(three_keys, keys), (Keys{one, two, six}));
  keys.named = {six, "bm9uZQ==", two, six};
  EXPECT_EQ(offered_keys(three_keys, keys), (Keys{six, two, one}));
  keys.identities_only = true;
  EXPECT_EQ(offered_keys(three_keys, keys), (Keys{six, two}));
  EXPECT_EQ(identities_to_offer(three_keys, keys).front(),
            (AgentIdentity{six, with_size("six") + with_size("third")}));
}

TEST(AgentIdentities, AreWhatIsWholeInAnAnswer) {
  EXPECT_EQ(offered_keys(three_keys.substr(0, three_keys.size() - 1), {}).size(), 2u);
  for (const std::string& other : {std::string(), std::string("\5"), std::string("\14"), "\6" + three_keys})
    EXPECT_TRUE(identities_to_offer(other, {}).empty());
}

}  // namespace
}  // namespace adarun::launcher
