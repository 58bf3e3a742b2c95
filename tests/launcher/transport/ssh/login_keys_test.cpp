// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/login_keys.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/agent_login.h"
#include "tests/launcher/error_of.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

class LoginKeysTest : public testing::Test {
 protected:
  static void keygen(std::vector<std::string> words) {
    words.insert(words.begin(), {"ssh-keygen", "-q"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      execvp("ssh-keygen", arguments.data());
      _exit(127);
    }
    EXPECT_EQ(status_of(child), 0);
  }

  // A new key, made by OpenSSH. Returns its file.
  std::string make_key(const std::string& passphrase = "", const std::string& name = "id",
                       const std::string& type = "ed25519") {
    const std::string file = folder_ / name;
    keygen({"-t", type, "-C", "", "-N", passphrase, "-f", file});
    return file;
  }

  // Makes FILE-cert.pub. `more`: further options of ssh-keygen.
  void certify(const std::string& file, const std::vector<std::string>& more = {}) {
    if (!std::filesystem::exists(folder_ / "ca")) make_key("", "ca");
    std::vector<std::string> words{"-s", folder_ / "ca", "-I", "me", "-n", "root"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(file + ".pub");
    keygen(words);
  }

  // "FILE WHY; ...", without the folder.
  std::string unusable(const SshSettings& settings) {
    const auto keys = KeyRing().keys_for(settings, "");
    std::string text;
    for (const UnusableFile& each : keys->unusable)
      text += (text.empty() ? "" : "; ") + each.text().substr(folder_.string().size() + 1);
    return text;
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
  EXPECT_TRUE(keys->unusable.empty());
}

TEST_F(LoginKeysTest, AKeyThatIsNamedTwiceIsTakenOnce) {
  const std::string file = make_key();
  certify(file);
  std::filesystem::create_symlink("id", folder_ / "link");
  SshSettings settings;
  settings.identities = {file, folder_ / "link", file, folder_ / "none", folder_ / "none"};
  EXPECT_EQ(KeyRing().keys_for(settings, file)->keys.size(), 2u);
  EXPECT_EQ(unusable(settings), "none does not exist");
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
  const auto keys = ring.keys_for(settings_with(file), "");
  ASSERT_EQ(keys->unusable.size(), 1u);
  EXPECT_TRUE(keys->unusable[0].is_locked);
  EXPECT_EQ(keys->unusable[0].why, "needs a passphrase: ssh-add " + file);
  KeyRing other;
  EXPECT_THROW(other.keys_for(settings_with(file), file), Error);
}

TEST_F(LoginKeysTest, ACertificateBesideAKeyIsTakenBehindIt) {
  for (const std::string type : {"ed25519", "ecdsa", "rsa"}) {
    const std::string file = make_key("", type, type);
    certify(file);
    const auto keys = KeyRing().keys_for(settings_with(file), file);
    ASSERT_EQ(keys->keys.size(), 2u);
    ASSERT_EQ(keys->named.size(), 2u);
    EXPECT_EQ(keys->keys[1].file, file + "-cert.pub");
    EXPECT_EQ(keys->keys[1].public_key, keys->named[1].public_key);
    EXPECT_NE(keys->named[1].public_key, keys->named[0].public_key);
    EXPECT_EQ(keys->named[1].certified_key, keys->named[0].public_key);
    EXPECT_TRUE(keys->unusable.empty());
  }
}

TEST_F(LoginKeysTest, ACertificateMayBeAFileOfItsOwn) {
  const std::string file = make_key();
  const std::string own = folder_ / "signed.pub";
  certify(file);
  std::filesystem::rename(file + "-cert.pub", own);
  SshSettings settings;
  settings.identities = {own, file};
  const auto keys = KeyRing().keys_for(settings, "");
  ASSERT_EQ(keys->keys.size(), 2u);
  EXPECT_EQ(keys->keys[0].file, own);
  EXPECT_EQ(keys->keys[0].public_key, keys->named.at(0).public_key);
  EXPECT_EQ(keys->keys[1].public_key, keys->named.at(0).certified_key);
  EXPECT_EQ(unusable(settings), "");
  EXPECT_EQ(unusable(settings_with(own)),
            "signed.pub is a certificate, and no ssh-agent offers its private key");
  certify(file, {"-h"});
  std::filesystem::rename(file + "-cert.pub", own);
  EXPECT_EQ(unusable(settings_with(own)), "signed.pub is the certificate of a host");
}

TEST_F(LoginKeysTest, ACertificateIsNamedThoughItsKeyIsOnlyInTheAgent) {
  const std::string file = make_key();
  certify(file);
  const std::string key = KeyRing().keys_for(settings_with(file), file)->keys.at(0).public_key;
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".pub");
  const auto keys = KeyRing().keys_for(settings_with(file), "");
  ASSERT_EQ(keys->named.size(), 1u);
  EXPECT_EQ(keys->named[0].certified_key, key);
  EXPECT_EQ(unusable(settings_with(file)), "id does not exist, and no ssh-agent offers its private key");
}

TEST_F(LoginKeysTest, ACertificateThatCannotServeIsNamed) {
  const std::string file = make_key();
  const std::string other = make_key("", "other");
  certify(file, {"-V", "20200101:20200102"});
  EXPECT_EQ(KeyRing().keys_for(settings_with(file), file)->keys[1].file, file + "-cert.pub (expired)");
  certify(file, {"-h"});
  EXPECT_EQ(unusable(settings_with(file)), "id-cert.pub is the certificate of a host");
  certify(other);
  std::filesystem::rename(other + "-cert.pub", file + "-cert.pub");
  EXPECT_EQ(unusable(settings_with(file)), "id-cert.pub is the certificate of another key");
  scratch_.write("id-cert.pub", "ssh-ed25519-cert-v01@openssh.com AAAA me\n");
  EXPECT_EQ(unusable(settings_with(file)), "id-cert.pub is no certificate");
}

TEST_F(LoginKeysTest, AFileThatHoldsNoUsableKeyIsNamedUnlessItIsADefault) {
  const std::string file = make_key();
  std::filesystem::copy_file(file + ".pub", folder_ / "gone.pub");
  std::filesystem::create_directory(folder_ / "folder");
  scratch_.write("garbage", "Port 22\n");
  SshSettings settings;
  for (const char* name : {"id", "none", "id.pub", "gone", "folder", "garbage"})
    settings.identities.push_back(folder_ / name);
  EXPECT_EQ(unusable(settings),
            "none does not exist; id.pub is a public key, and no ssh-agent offers its private key; "
            "gone does not exist, and no ssh-agent offers its private key; folder is a folder; "
            "garbage is no key");
  settings.default_identities = true;
  settings.identities = {folder_ / "none", folder_ / "garbage"};
  EXPECT_EQ(unusable(settings), "garbage is no key");
}

TEST_F(LoginKeysTest, AFileThatIsRequiredIsThatOfAPrivateKey) {
  const std::string wanted =
      "; --identity wants the file of a private key, and ssh-agent is not asked with it";
  const std::string file = make_key();
  std::filesystem::copy_file(file + ".pub", folder_ / "gone.pub");
  for (const auto& [name, why] :
       std::vector<std::pair<std::string, std::string>>{{"id.pub", "is a public key" + wanted},
                                                        {"gone", "does not exist" + wanted},
                                                        {"none", "does not exist"}}) {
    const std::string required = folder_ / name;
    EXPECT_EQ(error_of([&] { KeyRing().keys_for(settings_with(required), required); }),
              required + ": cannot log in with it: it " + why);
  }
}

TEST_F(LoginKeysTest, AFileThatCannotBeLookedAtIsNotCalledMissing) {
  std::filesystem::create_symlink("loop", folder_ / "loop");
  SshSettings settings = settings_with(folder_ / "loop/id");
  const std::string why = "loop/id cannot be read: Too many levels of symbolic links";
  EXPECT_EQ(unusable(settings), why);
  settings.default_identities = true;
  EXPECT_EQ(unusable(settings), why);
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
  EXPECT_EQ(offered_keys(three_keys + three_keys.substr(5), keys), (Keys{one, two, six}));
  keys.named = {{six, ""}, {"bm9uZQ==", ""}, {two, ""}, {six, ""}};
  EXPECT_EQ(offered_keys(three_keys, keys), (Keys{six, two, one}));
  keys.identities_only = true;
  EXPECT_EQ(offered_keys(three_keys, keys), (Keys{six, two}));
  EXPECT_EQ(identities_to_offer(three_keys, keys).front(),
            (AgentIdentity{six, with_size("six") + with_size("third"), ""}));
}

TEST(AgentIdentities, ACertificateThatTheAgentLacksIsOfferedWhereItHasItsKey) {
  const std::string two = "dHdv";
  const std::string six = "c2l4";
  LoginKeys keys;
  keys.identities_only = true;
  const NamedKey certificate{"Y2VydA==", two};
  keys.named = {{two, ""}, certificate, {"YmFk", "bm9uZQ=="}, {six, two}, {two, ""}, certificate};
  EXPECT_EQ(offered_keys(three_keys, keys), (std::vector<std::string>{two, "Y2VydA==", six}));
  EXPECT_EQ(identities_to_offer(three_keys, keys)[1],
            (AgentIdentity{"Y2VydA==", with_size("cert") + with_size(""), "two"}));
  EXPECT_EQ(identities_to_offer(three_keys, keys)[2].signer, "") << "the agent has this one itself";
}

TEST(AgentIdentities, AreNoKeysWithoutBytes) {
  const std::string empty = std::string{12, '\0', '\0', '\0', 1} + with_size("") + with_size("");
  LoginKeys keys;
  keys.named = {{"dHdv", ""}};
  EXPECT_TRUE(identities_to_offer(empty, keys).empty());
  EXPECT_EQ(offered_keys(empty + three_keys.substr(5), keys).size(), 3u);
}

TEST(AgentIdentities, AreWhatIsWholeInAnAnswer) {
  EXPECT_EQ(offered_keys(three_keys.substr(0, three_keys.size() - 1), {}).size(), 2u);
  for (const std::string& other : {std::string(), std::string("\5"), std::string("\14"), "\6" + three_keys})
    EXPECT_TRUE(identities_to_offer(other, {}).empty());
}

}  // namespace
}  // namespace adarun::launcher
