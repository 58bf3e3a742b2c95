// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/config.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "launcher/transport/ssh/config/config_text.h"
#include "launcher/transport/ssh/ssh_session.h"
#include "tests/launcher/error_of.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

using Strings = std::vector<std::string>;

Host named(const std::string& name) {
  return {name, {0}, "", 0};
}

SshSettings settings(const std::string& text, const std::string& host, const SshOptions& options = {}) {
  return SshConfig(options, text).settings_for(named(host));
}

Strings notes(const std::string& text, const SshOptions& options = {}) {
  SshConfig config(options, text);
  config.settings_for(named("node1"));
  config.settings_for(named("node2"));
  return config.notes();
}

std::string refusal(const std::string& text) {
  return error_of([&] { settings(text, "node1"); });
}

TEST(Pattern, TakesStarsAndQuestionMarks) {
  for (const char* pattern : {"*", "node*", "*1", "n?de1", "n*d*1", "node1", "node1*"})
    EXPECT_TRUE(matches_pattern("node1", pattern)) << pattern;
  for (const char* pattern : {"", "node", "node?1", "*2", "n?e1", "ode1"})
    EXPECT_FALSE(matches_pattern("node1", pattern)) << pattern;
}

TEST(Pattern, NegatedOneWinsOverAllOthers) {
  EXPECT_TRUE(matches_patterns("node1", {"node*", "!node2"}));
  EXPECT_FALSE(matches_patterns("node2", {"node*", "!node2"}));
  EXPECT_FALSE(matches_patterns("node3", {"!node2"}));
}

TEST(Tokens, AreReplacedOnceOrRefused) {
  ::setenv("ADARUN_TEST_WORD", "w%h", 1);
  const Tokens tokens{{'h', "n%r"}, {'r', "me"}};
  const struct {
    std::string text;
    std::string as_text;
    std::string as_path;
  } cases[] = {
      {"a", "a", "a"},
      {"%h-%r%%", "n%r-me%", "n%r-me%"},
      {"${ADARUN_TEST_WORD}/%r", "${ADARUN_TEST_WORD}/me", "w%h/me"},
      {"~/%r", "~/me", home_folder() + "/me"},
      {"~" + user_name() + "/x", "~" + user_name() + "/x", home_folder() + "/x"},
      {"$x~", "$x~", "$x~"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(expand_tokens(each.text, tokens), each.as_text);
    EXPECT_EQ(expand_tokens(each.text, tokens, Value::path), each.as_path);
  }
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"%x", "no token %x can stand here; wanted one of %% %h %r"},
           {"a%", "no token % can stand here; wanted one of %% %h %r"},
           {"${ADARUN_TEST_NONE}", "the environment has no ADARUN_TEST_NONE"},
           {"${A", "\"${\" without \"}\""},
           {"~nobody-of-that-name/x", "there is no user nobody-of-that-name"}})
    EXPECT_EQ(error_of([&, name = text] { expand_tokens(name, tokens, Value::path); }), why);
}

TEST(Addresses, HaveTheFormThatTheSystemPrints) {
  for (const auto& [text, address] :
       std::vector<std::pair<std::string, std::string>>{{"127.1", "127.0.0.1"},
                                                        {"10.0.0.5", "10.0.0.5"},
                                                        {"FE80::1", "FE80::1"},
                                                        {"0:0::1", "::1"},
                                                        {"n1", ""},
                                                        {"10.0.0.5.x", ""},
                                                        {"", ""}})
    EXPECT_EQ(address_in(text), address) << text;
}

TEST(SshConfig, FirstValueOfALineThatHoldsWins) {
  const std::string text =
      "Host node1 gpu*\n"
      "  HostName 10.0.0.1\n"
      "  port = 2222 # comment\n"
      "\tUSER \"a user\"\n"
      "Host *\n"
      "  Port 22\n"
      "  User other\n";
  const SshSettings node1 = settings(text, "node1");
  EXPECT_EQ(node1.hostname, "10.0.0.1");
  EXPECT_EQ(node1.port, 2222);
  EXPECT_EQ(node1.user, "a user");
  EXPECT_EQ(settings(text, "node2").user, "other");
  EXPECT_EQ(settings(text, "node2").hostname, "node2");
}

TEST(SshConfig, KnowsTheNamesOfItsHosts) {
  const SshConfig config(
      {}, "Host gpu1 gpu2 !old\n  User ada\nHost *.lab node?\nMatch host gpu9\nHost \"a b\" gpu1\n");
  EXPECT_EQ(config.named_hosts(), (Strings{"gpu1", "gpu2", "a b"}));
}

TEST(SshConfig, WithoutOneIsAsSshDoesIt) {
  const SshSettings plain = settings("", "Node1");
  EXPECT_EQ(plain.hostname, "node1");
  EXPECT_EQ(plain.port, 22);
  EXPECT_EQ(plain.user, user_name());
  EXPECT_EQ(plain.host_key, HostKey::strict);
  EXPECT_EQ(plain.key_name, "node1");
  EXPECT_EQ(plain.user_known_hosts.front(), home_folder() + "/.ssh/known_hosts");
  EXPECT_FALSE(plain.identities_only);
  EXPECT_TRUE(plain.jumps.empty());
}

TEST(SshConfig, HostListWinsOverCommandLineWinsOverConfig) {
  SshConfig config({.user = "typed", .port = 2200}, "User configured\nPort 2222\n");
  EXPECT_EQ(config.settings_for(named("n")).user, "typed");
  EXPECT_EQ(config.settings_for(named("n")).port, 2200);
  EXPECT_EQ(config.settings_for({"n", {0}, "listed", 7}).user, "listed");
  EXPECT_EQ(config.settings_for({"n", {0}, "listed", 7}).port, 7);
}

TEST(SshConfig, CollectsIdentitiesAndExpandsThem) {
  const std::string text =
      "Host node1\n  IdentityFile /keys/%r@%h:%p\n  User me\n"
      "Host *\n  IdentityFile ~/.ssh/%n\n  IdentitiesOnly yes\n";
  const SshSettings node1 = settings(text, "node1");
  EXPECT_EQ(node1.identities, (Strings{"/keys/me@node1:22", home_folder() + "/.ssh/node1"}));
  EXPECT_TRUE(node1.identities_only);
}

TEST(SshConfig, AnIdentityOnTheCommandLineIsTheOnlyOne) {
  const SshSettings node1 =
      settings("IdentityFile /keys/other\nIdentityAgent /agent\n", "node1", {.identity = "/keys/mine"});
  EXPECT_EQ(node1.identities, Strings{"/keys/mine"});
  EXPECT_EQ(node1.agent_socket, "");
}

TEST(SshConfig, FindsTheAgent) {
  ::setenv("ADARUN_TEST_AGENT", "/tmp/agent", 1);
  EXPECT_EQ(settings("IdentityAgent $ADARUN_TEST_AGENT\n", "n").agent_socket, "/tmp/agent");
  EXPECT_EQ(settings("IdentityAgent ${ADARUN_TEST_AGENT}.2\n", "n").agent_socket, "/tmp/agent.2");
  EXPECT_EQ(settings("IdentityAgent none\n", "n").agent_socket, "");
}

TEST(SshConfig, NamesTheHostKey) {
  EXPECT_EQ(settings("HostName a.B\nPort 2222\n", "n").key_name, "[a.b]:2222");
  EXPECT_EQ(settings("HostKeyAlias Cluster\nPort 2222\n", "n").key_name, "cluster");
}

TEST(SshConfig, TakesEveryStrictHostKeyChecking) {
  for (const std::string& word : Strings{"yes", "ask"})
    EXPECT_EQ(settings("StrictHostKeyChecking " + word + "\n", "n").host_key, HostKey::strict) << word;
  for (const std::string& word : Strings{"accept-new", "no", "off"})
    EXPECT_EQ(settings("StrictHostKeyChecking " + word + "\n", "n").host_key, HostKey::accept_new) << word;
  EXPECT_EQ(settings("StrictHostKeyChecking accept-new\n", "n", {.host_key = HostKey::strict}).host_key,
            HostKey::strict);
}

TEST(SshConfig, ReadsJumpHosts) {
  EXPECT_EQ(settings("ProxyJump me@a:2222,b\nProxyCommand never\n", "n").jumps, (Strings{"me@a:2222", "b"}));
  EXPECT_EQ(settings("Host n\nProxyJump none\nHost *\nProxyJump a\n", "n").jumps, Strings{});
  SshConfig config({.identity = "/keys/mine", .user = "typed"}, "Host a\nIdentityFile /keys/a\n");
  const SshSettings jump = config.settings_for_jump("me@a:2222");
  EXPECT_EQ(jump.user, "me");
  EXPECT_EQ(jump.port, 2222);
  EXPECT_EQ(jump.identities, (Strings{"/keys/mine", "/keys/a"}));
  EXPECT_EQ(config.settings_for_jump("b").user, user_name());
  EXPECT_EQ(config.settings_for_jump("me@b:https").port, 443);
  EXPECT_EQ(config.settings_for_jump("fd77::2").hostname, "fd77::2");
  EXPECT_EQ(config.settings_for_jump("me@corp@b").user, "me@corp");
}

TEST(SshConfig, ReadsJumpHostsWrittenAsUris) {
  const struct {
    std::string uri;
    std::string jump;
  } cases[] = {
      {"ssh://gate", "gate"},
      {"ssh://root@10.77.0.3:22/", "root@10.77.0.3:22"},
      {"ssh://me@gate/", "me@gate"},
      {"ssh://me%40corp@gate", "me@corp@gate"},
      {"ssh://a%2fb%25@%h", "a/b%@n"},
      {"ssh://me;fingerprint=x@gate:2", "me@gate:2"},
      {"ssh://[fd77::2]:22/", "[fd77::2]:22"},
  };
  for (const auto& [uri, jump] : cases)
    EXPECT_EQ(settings("ProxyJump a,%n," + uri + "\n", "n").jumps, (Strings{"a", "n", jump})) << uri;
  for (const char* wrong : {"ssh://gate/x", "ssh://gate//", "ssh://me%4@gate", "ssh://me%zz@gate",
                            "ssh://me%-1@gate", "ssh://me%0a@gate", "ssh://%r@gate", "me%40corp@gate"})
    EXPECT_EQ(refusal("ProxyJump " + std::string(wrong) + "\n").find("config:1: ProxyJump \""), 0U) << wrong;
}

TEST(SshConfig, TakesNoFileFromAnEmptyVariable) {
  ::setenv("ADARUN_TEST_EMPTY", "", 1);
  const SshSettings of_n =
      settings("IdentityFile ${ADARUN_TEST_EMPTY}\nUserKnownHostsFile ${ADARUN_TEST_EMPTY}\n", "n");
  EXPECT_EQ(of_n.identities, Strings{});
  EXPECT_FALSE(of_n.default_identities);
  EXPECT_EQ(of_n.user_known_hosts, Strings{});
  EXPECT_TRUE(settings("", "n").default_identities);
}

TEST(SshConfig, NamesAByteOrderMark) {
  EXPECT_EQ(refusal("\xEF\xBB\xBFHost n\n"),
            "config:1: begins with a byte order mark, which OpenSSH refuses too: save it without");
}

TEST(SshConfig, MatchHoldsWhereAllOfItsCriteriaDo) {
  const auto port_with = [](const std::string& criteria) {
    return settings("User me\nHostName real\nMatch " + criteria + "\nPort 2222\n", "node1").port;
  };
  for (const std::string& criteria :
       Strings{"all", "host re*", "originalhost node1", "user me,you", "!user you", "host real user me",
               "final", "localuser " + user_name(), "final host real"})
    EXPECT_EQ(port_with(criteria), 2222) << criteria;
  for (const std::string& criteria : Strings{"host node1", "originalhost real", "user you",
                                             "host real user you", "exec true", "localnetwork 10.0.0.0/8"})
    EXPECT_EQ(port_with(criteria), 22) << criteria;
}

TEST(SshConfig, ComparesHostWithTheHostNameInASecondPass) {
  const std::string text =
      "Host n1\n  HostName 10.0.0.1\n%sHost 10.0.*\n  Port 2222\n  HostName other\nHost n1\n  User late\n"
      "Host 10.*\n  User bob\n";
  const auto with = [&text](const std::string& line) {
    const SshSettings found = settings(std::string(text).replace(text.find("%s"), 2, line), "n1");
    return found.user + "@" + found.hostname + ":" + std::to_string(found.port);
  };
  EXPECT_EQ(with(""), "late@10.0.0.1:22");
  for (const char* line : {"Match final all\n  ServerAliveInterval 5\n", "CanonicalizeHostname yes\n",
                           "CanonicalizeHostname always\n", "Match host other final\n"})
    EXPECT_EQ(with(line), "late@10.0.0.1:2222") << line;
  EXPECT_EQ(with("CanonicalizeHostname false\n"), "late@10.0.0.1:22");
  EXPECT_EQ(settings("Match final host *.net\n  Port 1\nMatch final\n  HostName other\n", "A.Net").hostname,
            "a.net");
}

TEST(SshConfig, MatchComparesNamesOfHostsInAnyCase) {
  const auto port_with = [](const std::string& criteria) {
    return settings("Host Alias\nHostName Node.Example.NET\nMatch " + criteria + "\nPort 2222\n", "Alias")
        .port;
  };
  for (const char* criteria :
       {"host *.EXAMPLE.net", "host=node.example.net", "originalhost ALIAS", "host = Node.*",
        "originalhost=alias host =*.net", "Host *.net OriginalHost A*"})
    EXPECT_EQ(port_with(criteria), 2222) << criteria;
  for (const char* criteria : {"host alias", "originalhost node*", "host *,!NODE.*", "!all"})
    EXPECT_EQ(port_with(criteria), 22) << criteria;
  EXPECT_EQ(settings("Host alias\nPort 2222\n", "Alias").port, 22) << "Host does not";
  EXPECT_EQ(settings("Tag lab\nMatch tagged lab\nPort 2222\n", "n").port, 2222);
}

TEST(SshConfig, TakesTheWordsThatSshTakes) {
  for (const char* word : {"yes", "true", "TRUE"})
    EXPECT_TRUE(settings("IdentitiesOnly " + std::string(word) + "\n", "n").identities_only) << word;
  for (const char* word : {"no", "False"})
    EXPECT_FALSE(settings("IdentitiesOnly " + std::string(word) + "\n", "n").identities_only) << word;
  EXPECT_EQ(settings("StrictHostKeyChecking true\n", "n").host_key, HostKey::strict);
  EXPECT_EQ(settings("StrictHostKeyChecking false\n", "n").host_key, HostKey::accept_new);
  EXPECT_EQ(settings("Port ssh\n", "n").port, 22);
  EXPECT_EQ(settings("Port https\n", "n").port, 443);
  EXPECT_EQ(settings("ProxyJump NONE\nProxyCommand None\n", "n").jumps, Strings());
  EXPECT_EQ(settings("IdentityFile None\nUserKnownHostsFile NONE\n", "n").identities, Strings());
}

TEST(SshConfig, ExpandsTokensWhereSshDoes) {
  const std::string text = "User me\nHostName real\nPort 2222\nHostKeyAlias Cluster\n";
  const SshSettings node1 = settings(text +
                                         "IdentityAgent /run/%r@%h\nUserKnownHostsFile /k/%k-%n-%p %d/%u\n"
                                         "GlobalKnownHostsFile /g/%h\nProxyJump %r@gate-%n\n",
                                     "node1");
  EXPECT_EQ(node1.agent_socket, "/run/me@real");
  EXPECT_EQ(node1.user_known_hosts, (Strings{"/k/cluster-node1-2222", home_folder() + "/" + user_name()}));
  EXPECT_EQ(node1.global_known_hosts, Strings{"/g/%h"});
  EXPECT_EQ(node1.jumps, Strings{"me@gate-node1"});
  EXPECT_EQ(settings("UserKnownHostsFile /k/%k\n", "Node1").user_known_hosts, Strings{"/k/Node1"});
  EXPECT_EQ(settings("User me\nProxyJump you@gate:2\nUserKnownHostsFile %j\n", "n").user_known_hosts,
            Strings{"gate"});
  const std::string hashed = settings("UserKnownHostsFile %C\n", "n").user_known_hosts.front();
  EXPECT_EQ(hashed.size(), 40U);
  EXPECT_NE(hashed, settings("UserKnownHostsFile %C\nPort 2\n", "n").user_known_hosts.front());
}

TEST(SshConfig, IncludesFiles) {
  const test::ScratchFolder folder;
  folder.write("a.conf", "Host other\n  Port 1\n");
  folder.write("b.conf", "Port 2222\n");
  SshOptions options;
  options.config_file = folder.write("config", "Host node1\n  Include " + folder.path().string() +
                                                   "/*.conf\n  User inner\nHost *\n  User outer\n");
  SshConfig config(options);
  EXPECT_EQ(config.settings_for(named("node1")).port, 2222);  // The block of a.conf ends with it.
  EXPECT_EQ(config.settings_for(named("node1")).user, "inner");
  EXPECT_EQ(config.settings_for(named("other")).port, 22);  // Included for node1 alone.
}

TEST(SshConfig, RefusesAFileThatDoesNotEnd) {
  const test::ScratchFolder folder;
  for (const std::string& file :
       {std::string("/dev/zero"), folder.write("config", "Include /dev/zero\n").string()})
    EXPECT_EQ(error_of([&file] { SshConfig(SshOptions{.config_file = file}); }),
              "/dev/zero: no ssh config file: it is larger than 1 MiB");
}

TEST(SshConfig, RefusesFilesThatIncludeEachOther) {
  const test::ScratchFolder folder;
  const std::string path = folder.path();
  for (const std::string& file :
       {folder.write("config", "Include " + path + "/config\n").string(), path + "/missing", path})
    EXPECT_THROW(SshConfig(SshOptions{.config_file = file}), Error) << file;
}

TEST(SshConfig, RefusesWhatMakesNoSense) {
  EXPECT_EQ(refusal("\nPort no-such-service\n"),
            "config:2: Port \"no-such-service\": wanted a number from 1 to 65535, or the name of a service, "
            "such as ssh");
  for (const char* port : {"0", "-1", "65536"})
    EXPECT_NE(refusal("Port " + std::string(port) + "\n"), "") << port;
  EXPECT_EQ(refusal("IdentityFile a\nIdentityFile /k/%x\n").substr(0, 59),
            "config:2: IdentityFile \"/k/%x\": no token %x can stand here;");
  EXPECT_EQ(refusal("IdentityFile ~no-such-user/id\n"),
            "config:1: IdentityFile \"~no-such-user/id\": there is no user no-such-user");
  EXPECT_EQ(refusal("HostName %p\n"),
            "config:1: HostName \"%p\": no token %p can stand here; wanted one of %% %h");
  EXPECT_EQ(refusal("Match user\nPort 1\n"), "config:1: Match \"user\": user needs an argument");
  EXPECT_EQ(refusal("Host other\n  User\n"), "config:2: User has no value");
  EXPECT_EQ(refusal("IdentitiesOnly maybe\n"), "config:1: IdentitiesOnly \"maybe\": wanted one of no, yes");
  EXPECT_EQ(refusal("User \"me\n"), "config:1: a quote that does not end");
  EXPECT_NE(refusal("ProxyCommand nc %h %p\n").find("config:1: ProxyCommand \"nc %h %p\""),
            std::string::npos);
  EXPECT_EQ(refusal("ProxyCommand none\n"), "");
  EXPECT_EQ(refusal("Host other\nPort ten\n"), "");
}

TEST(SshConfig, NotesOnceWhatItDoesNotFollow) {
  EXPECT_EQ(notes("Host node*\n  CertificateFile ~/.ssh/cert\n  ServerAliveInterval 10\n  SendEnv LANG\n"),
            Strings{"config:2: CertificateFile is not followed"});
  EXPECT_EQ(notes("Host other\n  CertificateFile ~/.ssh/cert\n"), Strings{});
  EXPECT_EQ(notes("Match exec \"test -f x\"\nPort 1\n").size(), 1U);
  EXPECT_EQ(notes("IgnoreUnknown Fancy*\nFancyOption 1\nStrange 2\n"),
            Strings{"config:3: Strange is not followed"});
  EXPECT_EQ(notes("CanonicalizeHostname no\nPubkeyAuthentication yes\nTunnel false\n"), Strings{});
}

TEST(SshConfig, NotesAMatchOnlyWhereItsOtherCriteriaHoldAndItMatters) {
  const std::string taken =
      "config:1: Match originalhost node1 exec true is taken not to hold: adarun does not know all "
      "of its criteria";
  EXPECT_EQ(notes("Match originalhost node1 exec true\nPort 1\n"), Strings{taken});
  for (const char* text :
       {"Match originalhost other exec true\nPort 1\n", "Match exec true originalhost other\nPort 1\n",
        "Match !localuser * exec true\nPort 1\n", "Host other\nMatch user nobody-at-all exec true\nPort 1\n",
        "Match host * exec \"gpg-connect-agent updatestartuptty /bye\"\n",
        "Match exec true\n  ForwardX11 yes\nHost x\n"})
    EXPECT_EQ(notes(text), Strings{}) << text;
  EXPECT_EQ(notes("Match exec true\nForwardX11 yes\nInclude /none\n").size(), 1U);
  EXPECT_EQ(notes("Match final exec true\nPort 1\n").size(), 1U) << "in the second pass";
}

TEST(SshConfig, NotesCanonicalizationOnlyWhereANameWouldBeLookedUp) {
  const std::string yes = "CanonicalizeHostname yes\nCanonicalDomains lab\n";
  ASSERT_EQ(notes(yes).size(), 1U);
  EXPECT_EQ(notes(yes).front().find("config:1: CanonicalizeHostname is not followed"), 0U)
      << notes(yes).front();
  for (const std::string& text : {std::string("CanonicalizeHostname yes\n"), yes + "HostName 10.0.0.1\n",
                                  yes + "HostName a.b.c\n", yes + "ProxyJump gate\n"})
    EXPECT_EQ(notes(text), Strings{}) << text;
  EXPECT_EQ(notes("CanonicalizeHostname always\nCanonicalDomains lab\nProxyJump gate\n").size(), 1U);
  EXPECT_EQ(notes(yes + "CanonicalizeMaxDots 2\nHostName a.b.c\n").size(), 1U);
}

TEST(SshConfig, SaysWhatIsMadeOfCheckingNoHostKey) {
  const std::string text = "StrictHostKeyChecking no\n";
  ASSERT_EQ(notes(text).size(), 1U);
  EXPECT_NE(notes(text).front().find("is taken for accept-new"), std::string::npos);
  EXPECT_EQ(notes(text, {.host_key = HostKey::strict}), Strings{});
}

TEST(Algorithms, AreChosenAsTheConfigurationSays) {
  for (const auto& [chosen, list] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"x,b", "x,b"}, {"+x,b", "a,b,c,x"}, {"^c,x", "c,x,a,b"}, {"-a,c*", "b"}})
    EXPECT_EQ(chosen_algorithms(chosen, "a,b,c"), list) << chosen;
}

TEST(Algorithms, OfWhichNoneIsKnownAreNamedWithTheirLine) {
  for (const std::string& keyword :
       Strings{"KexAlgorithms", "Ciphers", "MACs", "HostKeyAlgorithms", "PubkeyAcceptedAlgorithms"}) {
    for (const std::string& list : Strings{"foo,bar", "-*"}) {
      const std::string text = "Port 22\n" + keyword + ' ' + list + '\n';
      const std::string said = error_of([&] { require_known_algorithms(settings(text, "n")); });
      EXPECT_EQ(said.find("config:2: " + keyword + " \"" + list +
                          "\": none of its algorithms is known here (libssh has: "),
                0U)
          << said;
      EXPECT_TRUE(said.ends_with("); add one of these, or say --via openssh")) << said;
    }
    require_known_algorithms(settings(keyword + " +foo\n", "n"));
  }
}

TEST(Algorithms, OfUsersKeysAreThoseOfCertificatesToo) {
  const auto defaults = [](const std::string& keyword) {
    return error_of([&] { require_known_algorithms(settings(keyword + " foo\n", "n")); });
  };
  EXPECT_NE(defaults("PubkeyAcceptedAlgorithms").find("-cert-v01@openssh.com,"), std::string::npos);
  EXPECT_EQ(defaults("HostKeyAlgorithms").find("-cert-v01@openssh.com,"), std::string::npos);
}

TEST(Algorithms, OfKnownHostKeysComeFirst) {
  const std::string list = host_key_algorithms_for({"ssh-rsa", "ecdsa-sha2-nistp256"});
  EXPECT_TRUE(list.starts_with("rsa-sha2-512,rsa-sha2-256,ecdsa-sha2-nistp256,ssh-ed25519,")) << list;
  EXPECT_EQ(list.size(), default_key_algorithms.size());
}

TEST(SshConfig, TakesTheFamilyOfAddresses) {
  EXPECT_EQ(settings("AddressFamily inet6\n", "n").family, AF_INET6);
  EXPECT_EQ(settings("AddressFamily any\n", "n").family, AF_UNSPEC);
}

}  // namespace
}  // namespace adarun::launcher
