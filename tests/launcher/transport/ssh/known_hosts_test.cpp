// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/known_hosts.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/host_key_check.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

using What = KeyVerdict::What;

const HostPublicKey ours{"ssh-ed25519", "AAAAours"};
const HostPublicKey theirs{"ssh-ed25519", "AAAAtheirs"};
const HostPublicKey rsa{"ssh-rsa", "AAAArsa"};

// Hashed names, as ssh-keygen -H makes them.
constexpr const char* hashed_node1 = "|1|PGNm8x/7evTp+rzZAxQe9VxxULQ=|Ju3cJfEtt5R/F+LeZTB9wG+0+uw=";
constexpr const char* hashed_node2 = "|1|vbU02I7p8vSTQoYGSLnR/ED3+Ec=|9r82xE0A1fd+NMJVGSlON+F8+QA=";
constexpr const char* hashed_node3 = "|1|a6pQYc1AguK9cbntlZi6qEa1Jdo=|PdjORR3zwGp2cUb0iboV2KQ8oN4=";

class KnownHostsFile : public testing::Test {
 protected:
  std::vector<KnownKey> keys_of(const std::string& name, const std::string& text) const {
    std::ofstream(file_) << text;
    return KnownHosts().keys_of(name, {file_.string()});
  }

  std::string place(int line) const { return file_.string() + ":" + std::to_string(line); }

  test::ScratchFolder scratch_;
  const std::filesystem::path& folder_ = scratch_.path();
  const std::filesystem::path file_ = folder_ / "known_hosts";
};

TEST_F(KnownHostsFile, GivesUpOnAFileThatCannotBeReadInTime) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);  // Blocks like a file system that does not answer.
  KnownHosts known(std::chrono::milliseconds(10));
  EXPECT_THROW(known.keys_of("node1", {file_.string()}), Error);
  const int writer = open(file_.c_str(), O_RDWR);  // Unblocks the waiting thread.
  close(writer);
}

TEST_F(KnownHostsFile, GivesTheKeysOfAName) {
  const std::string text =
      "# comment\n"
      "node1,10.0.0.1 ssh-ed25519 AAAAours a comment\n"
      "\n"
      "node2 ssh-ed25519 AAAAtheirs\n"
      "NODE1 ssh-rsa AAAArsa\n"
      "node1 broken\n"
      "@cert-authority node1 ssh-ed25519 AAAAca\n";
  EXPECT_EQ(keys_of("node1", text), (std::vector<KnownKey>{{ours, place(2)}, {rsa, place(5)}}));
  EXPECT_EQ(keys_of("10.0.0.1", text), (std::vector<KnownKey>{{ours, place(2)}}));
  EXPECT_TRUE(keys_of("node3", text).empty());
}

TEST_F(KnownHostsFile, TakesPatternsPortsHashesAndRevokedKeys) {
  const std::string text =
      "node*,!node2 ssh-ed25519 AAAAours\n"
      "[node2]:2222 ssh-ed25519 AAAAtheirs\n" +
      std::string(hashed_node3) +
      " ssh-rsa AAAArsa\n"
      "@revoked * ssh-rsa AAAArsa\n";
  EXPECT_EQ(keys_of("node1", text).size(), 2U);
  EXPECT_EQ(keys_of("node2", text), (std::vector<KnownKey>{{rsa, place(4), true}}));
  EXPECT_EQ(keys_of("[node2]:2222", text).front(), (KnownKey{theirs, place(2)}));
  EXPECT_EQ(keys_of("node3", text).size(), 3U);
}

TEST_F(KnownHostsFile, ComparesAHashedLineOnlyUntilItsNameIsKnown) {
  std::ofstream(file_) << hashed_node1 << " ssh-ed25519 AAAAours\n"
                       << hashed_node2 << " ssh-ed25519 AAAAtheirs\n"
                       << hashed_node3 << " ssh-rsa AAAArsa\n";
  int comparisons = 0;
  KnownHosts known(KnownHosts::timeout, [&](const HashedName& hashed, std::string_view name) {
    ++comparisons;
    return hashed.is_of(name);
  });
  EXPECT_EQ(known.keys_of("node2", {file_.string()}), (std::vector<KnownKey>{{theirs, place(2)}}));
  EXPECT_EQ(comparisons, 3);
  EXPECT_EQ(known.keys_of("node2", {file_.string()}), (std::vector<KnownKey>{{theirs, place(2)}}));
  EXPECT_EQ(comparisons, 3 + 2);
  EXPECT_EQ(known.keys_of("node3", {file_.string()}), (std::vector<KnownKey>{{rsa, place(3)}}));
  EXPECT_EQ(comparisons, 3 + 2 + 2);
  EXPECT_TRUE(known.keys_of("node4", {file_.string()}).empty());
  EXPECT_EQ(comparisons, 3 + 2 + 2 + 1);
}

TEST_F(KnownHostsFile, IsMadeAndAddedToByWholeLines) {
  const std::string file = folder_ / "new" / "known_hosts";
  append_known_host(file, "node1", ours);
  EXPECT_EQ(std::filesystem::status(folder_ / "new").permissions(), std::filesystem::perms::owner_all);
  std::ofstream(file, std::ios::app) << "node2 ssh-rsa AAAArsa";  // Without a final line end.
  append_known_host(file, "node3", theirs);
  std::ifstream stream(file);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(stream), {}}),
            "node1 ssh-ed25519 AAAAours\nnode2 ssh-rsa AAAArsa\nnode3 ssh-ed25519 AAAAtheirs\n");
  EXPECT_THROW(append_known_host(folder_.string(), "node1", ours), Error);
}

TEST(HostKeyVerdict, IsThatOfTheStrongestLine) {
  EXPECT_EQ(judge({}, ours), (KeyVerdict{What::unknown, ""}));
  EXPECT_EQ(judge({{rsa, "f:1"}, {ours, "f:2"}}, ours), (KeyVerdict{What::known, "f:2"}));
  EXPECT_EQ(judge({{rsa, "f:1"}, {theirs, "f:2"}}, ours), (KeyVerdict{What::changed, "f:2"}));
  EXPECT_EQ(judge({{theirs, "f:1"}, {ours, "f:2"}}, ours), (KeyVerdict{What::known, "f:2"}));
  EXPECT_EQ(judge({{rsa, "f:1"}}, ours), (KeyVerdict{What::other_kind, "f:1"}));
  EXPECT_EQ(judge({{ours, "f:1"}, {ours, "f:2", true}}, ours), (KeyVerdict{What::revoked, "f:2"}));
  EXPECT_EQ(judge({{theirs, "f:1", true}}, ours), (KeyVerdict{What::unknown, ""}));
}

class HostKeyChecks : public KnownHostsFile {
 protected:
  std::string refusal(const HostKeyRule& rule, const HostPublicKey& shown) {
    try {
      const HostKeyCheck check(rule, shown, "SHA256:x");
      pollfd written{check.fd(), POLLIN, 0};
      while (!check.advance())
        if (poll(&written, 1, 10'000) != 1) return "the key was not written in time";
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  HostKeyRule rule(HostKey policy, std::vector<KnownKey> known = {}) const {
    return {policy, "node1", file_, std::move(known), {}, new_keys_};
  }

  std::shared_ptr<NewKeys> new_keys_ = std::make_shared<NewKeys>();
};

TEST_F(HostKeyChecks, RefuseByName) {
  EXPECT_EQ(refusal(rule(HostKey::strict, {{ours, "f:1"}}), ours), "");
  EXPECT_NE(refusal(rule(HostKey::strict), ours).find("unknown (SHA256:x)"), std::string::npos);
  EXPECT_NE(refusal(rule(HostKey::accept_new, {{theirs, "f:1"}}), ours).find("remove the old key, f:1"),
            std::string::npos);
  EXPECT_NE(refusal(rule(HostKey::accept_new, {{rsa, "f:1"}}), ours).find("of another kind"),
            std::string::npos);
}

TEST_F(HostKeyChecks, TakeAKeyThatIsKnownWithoutThePort) {
  HostKeyRule with_port = rule(HostKey::strict);
  with_port.known_without_port = {{ours, "f:1"}};
  EXPECT_EQ(refusal(with_port, ours), "");
  EXPECT_NE(refusal(with_port, theirs).find("unknown"), std::string::npos);
}

TEST_F(HostKeyChecks, TwoNewKeysForOneNameAreRefused) {
  EXPECT_EQ(refusal(rule(HostKey::accept_new), ours), "");
  EXPECT_EQ(refusal(rule(HostKey::accept_new), ours), "");
  EXPECT_NE(refusal(rule(HostKey::accept_new), theirs).find("differs"), std::string::npos);
  std::ifstream file(file_);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}), "node1 ssh-ed25519 AAAAours\n");
}

// The name "node1", hashed by ssh-keygen -H.
constexpr const char* hashed_by_keygen = "|1|T9HCE9Q0jLoaEV8t+w7C8g/kzok=|gXhNROiV7RQlz6Z+bYdxB0uUirs=";

TEST(HashedName, IsOfItsNameAlone) {
  const auto hashed = HashedName::parse(hashed_by_keygen);
  ASSERT_TRUE(hashed);
  EXPECT_TRUE(hashed->is_of("node1"));
  EXPECT_TRUE(hashed->is_of("node1")) << "once more";
  EXPECT_FALSE(hashed->is_of("node2"));
  EXPECT_FALSE(hashed->is_of(""));
}

TEST(HashedName, IsNothingElse) {
  const std::string salt = "T9HCE9Q0jLoaEV8t+w7C8g/kzok=";
  const std::string hash = "gXhNROiV7RQlz6Z+bYdxB0uUirs=";
  for (const std::string& text :
       {std::string(), std::string("node1"), std::string("|1|"), "|1|" + salt, "|1|" + salt + "|",
        "|2|" + salt + "|" + hash, "|1|" + salt + "|" + hash.substr(1), "|1|" + salt + "|AAAA",
        "|1|AAAA|" + hash, "|1|" + salt + "|" + hash + "|" + hash, "|1|" + salt + "|*" + hash.substr(1)})
    EXPECT_FALSE(HashedName::parse(text)) << text;
}

}  // namespace
}  // namespace adarun::launcher
