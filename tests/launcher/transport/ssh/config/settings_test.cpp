// SPDX-License-Identifier: Apache-2.0
// Compares what adarun reads in an ssh configuration with what OpenSSH itself does, as `ssh -G` prints it.
//
// Differences that are wanted, and why they do not appear below:
// - StrictHostKeyChecking no and off: adarun refuses a changed key nevertheless, and takes both for
// accept-new.
// - StrictHostKeyChecking ask: adarun never prompts, and takes it for yes.
// - Default key files and algorithms, where the configuration names none: those of OpenSSH differ between its
//   versions, and algorithms are libssh's.
// - IdentityFile is compared as it is written, since `ssh -G` expands no tokens there; UserKnownHostsFile,
// whose
//   tokens are the same, is compared expanded.
// - %C beside ProxyJump: since OpenSSH 9.6 the jump host is a part of it, as it is here.
// - A ProxyCommand is refused, and `Match exec` and CanonicalDomains are not followed: adarun warns of both.
// - Unknown keywords and invalid values in blocks that do not hold: OpenSSH then reads nothing at all.
#include "launcher/transport/ssh/config/settings.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>
#include <sstream>

#include "base/file_descriptor.h"
#include "base/read_text.h"
#include "launcher/transport/ssh/config/config_text.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

using Strings = std::vector<std::string>;

/// Values by keyword, in the spelling of `ssh -G`.
using Values = std::map<std::string, Strings>;

constexpr int configurations = 200;

/// Writes configurations of blocks that hold for some hosts, or for none.
class Generator {
 public:
  explicit Generator(unsigned seed)
      : random_(seed),
        has_jumps_(chance(2)),
        host_(one_of(
            {"n1", "Alias", "node-7.lab", "127.0.5.1", "10.0.0.5", "NODE.Example.NET", "127.1", "::1"})) {
    if (getservbyname("ssh", "tcp") != nullptr) values_["Port"].emplace_back("ssh");
  }

  /// The host that is asked for.
  const std::string& host() const { return host_; }

  /// `included`: the name of a file that an Include may name; empty: none.
  std::string text(const std::string& included) {
    std::string text;
    for (const char* keyword : {"CanonicalizeHostname", "HostName"})  // What a second pass depends on.
      if (chance(3)) text += std::string(keyword) + " " + one_of(values_.at(keyword)) + "\n";
    text += lines(pick(3));
    for (int blocks = 1 + pick(6); blocks > 0; --blocks) {
      text += chance(2) ? host_line() : match_line();
      text += lines(1 + pick(3));
      if (!included.empty() && chance(6)) text += "  Include " + included + "\n";
    }
    return text;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool chance(int one_in) { return pick(one_in) == 0; }
  std::string one_of(const Strings& texts) {
    return texts[static_cast<std::size_t>(pick(static_cast<int>(texts.size())))];
  }

  std::string host_pattern() {
    if (chance(3)) return host_;
    if (chance(6)) return lower_case(host_);
    return one_of({"*", "n1", "n?", "Alias", "alias", "A*", "127.0.5.*", "10.*", "node-*", "*.lab",
                   "*.example.net", "node.*", "127.0.0.1", "::1"});
  }

  std::string host_line() {
    std::string line = one_of({"Host", "host", "HOST"});
    for (int patterns = 1 + pick(3); patterns > 0; --patterns)
      line += std::string(" ") + (chance(5) ? "!" : "") + host_pattern();
    return line + (chance(8) ? " # comment\n" : "\n");
  }

  std::string match_line() {
    if (chance(4))
      return one_of({"Match all\n", "Match final all\n", "Match canonical all\n", "Match !final all\n"});
    std::string line = one_of({"Match", "match"});
    for (int criteria = 1 + pick(3); criteria > 0; --criteria) line += " " + criterion();
    return line + "\n";
  }

  std::string criterion() {
    const std::string negation = chance(5) ? "!" : "";
    switch (pick(6)) {
      case 0:
        return negation + "final";
      case 1:
        return negation + "user " + one_of({"bob", "deploy", "bob,root", "*,!bob", "Bob"});
      case 2:
        return negation + "localuser " + one_of({user_name(), "nobody", "*"});
      case 3:
        return negation + one_of({"originalhost ", "OriginalHost ", "originalhost="}) + host_pattern();
      default:
        return negation + one_of({"host ", "Host ", "host="}) + host_pattern() +
               (chance(4) ? "," + host_pattern() : "");
    }
  }

  std::string lines(int count) {
    std::string text;
    for (; count > 0; --count) {
      auto keyword = values_.begin();
      std::advance(keyword, pick(static_cast<int>(values_.size())));
      std::string value = one_of(keyword->second);
      if (keyword->first == "ProxyJump" && !has_jumps_) continue;
      if (has_jumps_ && value.find("%C") != std::string::npos) continue;
      if (chance(8) && value.find(' ') == std::string::npos) value = "\"" + value + "\"";
      if (keyword->first == "ProxyJump" || keyword->first == "ProxyCommand") std::erase(value, '"');
      text += "  " + (chance(6) ? lower_case(keyword->first) : keyword->first) +
              one_of({" ", " ", "=", " = "}) + value + "\n";
    }
    return text;
  }

  std::mt19937 random_;
  bool has_jumps_;
  std::string host_;
  std::map<std::string, Strings> values_{
      {"HostName", {"127.0.5.1", "Node.Example.NET", "%h.lab", "x%%y", "10.0.0.5", "127.1", "FE80::1", "n1"}},
      {"Port", {"22", "2201", "2202"}},
      {"User", {"bob", "deploy", "\"a b\""}},
      {"AddressFamily", {"any", "inet", "INET"}},
      {"IdentitiesOnly", {"yes", "no", "true", "false", "True"}},
      {"StrictHostKeyChecking", {"yes", "no", "true", "false", "ask", "accept-new", "off", "Ask"}},
      {"IdentityAgent",
       {"none", "SSH_AUTH_SOCK", "~/agent-%r", "/run/%u/%h_%n", "${ADARUN_TEST_WORD}/%i", "/run/%C"}},
      {"IdentityFile", {"~/.ssh/%r", "/keys/a", "/keys/b", "/keys/%h", "none"}},
      {"UserKnownHostsFile",
       {"/k/%h-%n-%p-%r-%u", "~/k_%k /k/%%", "/k/%C", "/k%d/%l_%L_%i", "none", "/k/${ADARUN_TEST_WORD}",
        "a b"}},
      {"GlobalKnownHostsFile", {"/g/a", "/g/a /g/%h", "none"}},
      {"HostKeyAlias", {"Cluster", "c1", "%h"}},
      {"ProxyJump", {"none", "gate", "me@gate:2222", "inner,outer", "NONE"}},
      {"ProxyCommand", {"none"}},
      {"CanonicalizeHostname", {"no", "yes", "true", "always", "false"}},
      {"KexAlgorithms", {"curve25519-sha256", "ecdh-sha2-nistp256"}},
      {"Ciphers", {"aes128-ctr", "aes256-ctr"}},
      {"MACs", {"hmac-sha2-256", "hmac-sha2-512"}},
      {"HostKeyAlgorithms", {"ssh-ed25519", "rsa-sha2-512"}},
      {"PubkeyAcceptedAlgorithms", {"rsa-sha2-512", "ssh-ed25519"}},
      {"ServerAliveInterval", {"5", "10"}}};
};

/// Of `ssh -G`; empty if ssh refuses the configuration.
Values by_openssh(const std::string& file, const std::string& host) {
  const base::FileDescriptor output(memfd_create("ssh -G", MFD_CLOEXEC));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&actions, output.get(), stream);
  std::vector<std::string> words{"ssh", "-G", "-F", file, host};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t ssh = 0;
  const int error = posix_spawnp(&ssh, "ssh", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {{"refused", {"ssh: cannot be run"}}};
  int status = 0;
  waitpid(ssh, &status, 0);
  const std::string text = base::read_text("/proc/self/fd/" + std::to_string(output.get()));
  Values values;
  if (status != 0) return {{"refused", {text}}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    values[line.substr(0, blank)].push_back(blank == std::string::npos ? "" : line.substr(blank + 1));
  }
  return values;
}

std::string joined(const Strings& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

/// The same by adarun, in the spelling of `ssh -G`.
Values by_adarun(const std::string& file, const std::string& host) {
  const std::vector<std::vector<ConfigLine>> files{read_config_lines(file, "/")};
  const Host asked{host, {0}, "", 0};
  const ConfigSelection selection = select_lines(files, asked);
  const SshSettings settings = settings_from(selection, asked);
  Values values{{"hostname", {settings.hostname}},
                {"port", {std::to_string(settings.port)}},
                {"user", {settings.user}},
                {"addressfamily", {settings.family == AF_INET ? "inet" : "any"}},
                {"identitiesonly", {settings.identities_only ? "yes" : "no"}},
                {"identityagent", {settings.agent_socket}},
                {"stricthostkeychecking", {settings.host_key == HostKey::strict ? "strict" : "accept-new"}},
                {"userknownhostsfile", {joined(settings.user_known_hosts, " ")}},
                {"globalknownhostsfile", {joined(settings.global_known_hosts, " ")}}};
  if (selection.has("hostkeyalias")) values["hostkeyalias"] = {settings.key_name};
  for (const ConfigLine* line : selection.identities) values["identityfile"].push_back(line->text());
  if (!settings.jumps.empty()) values["proxyjump"] = {joined(settings.jumps, ",")};
  for (const auto& [keyword, list] :
       {std::pair("kexalgorithms", settings.key_exchange), std::pair("ciphers", settings.ciphers),
        std::pair("macs", settings.macs), std::pair("hostkeyalgorithms", settings.host_key_algorithms),
        std::pair("pubkeyacceptedalgorithms", settings.accepted_keys)})
    if (!list.text.empty()) values[keyword] = {list.text};
  return values;
}

/// What `ssh -G` printed, in the words of by_adarun().
Values translated(Values openssh) {
  std::string& checking = openssh["stricthostkeychecking"].front();
  checking = checking == "true" || checking == "yes" || checking == "ask" ? "strict" : "accept-new";
  std::string& only = openssh["identitiesonly"].front();
  only = yes_or_no(only);
  Strings& agent = openssh["identityagent"];
  if (agent.empty() || agent.front() == "SSH_AUTH_SOCK") agent = {std::getenv("SSH_AUTH_SOCK")};
  if (agent.front() == "none") agent = {""};
  for (const char* files : {"userknownhostsfile", "globalknownhostsfile"})
    if (openssh[files] == Strings{"none"}) openssh[files] = {""};
  return openssh;
}

/// "KEYWORD: VALUES of ssh, VALUES of adarun", a line for each of which they differ.
std::string differences(const Values& openssh, const Values& adarun) {
  std::string text;
  for (const auto& [keyword, values] : adarun) {
    const auto found = openssh.find(keyword);
    const std::string theirs = found == openssh.end() ? "nothing" : joined(found->second, ", ");
    if (theirs != joined(values, ", "))
      text += keyword + ": \"" + theirs + "\" of ssh, \"" + joined(values, ", ") + "\" of adarun\n";
  }
  for (const char* keyword : {"proxyjump", "hostkeyalias"})
    if (openssh.count(keyword) > 0 && adarun.count(keyword) == 0)
      text += std::string(keyword) + ": only of ssh\n";
  return text;
}

TEST(SettingsOfOpenSsh, AreOurs) {
  ::setenv("SSH_AUTH_SOCK", "/run/agent", 1);
  ::setenv("ADARUN_TEST_WORD", "/a%b", 1);
  const test::ScratchFolder folder;
  for (int seed = 0; seed < configurations; ++seed) {
    Generator generator(static_cast<unsigned>(seed));
    const std::string other = generator.text("");
    const std::string text = generator.text(folder.write("included", other));
    const std::string file = folder.write("config", text);
    const std::string& host = generator.host();
    Values openssh = by_openssh(file, host);
    ASSERT_EQ(openssh.count("refused"), 0U) << openssh["refused"].front() << text;
    EXPECT_EQ(differences(translated(std::move(openssh)), by_adarun(file, host)), "")
        << "seed " << seed << ", host " << host << "\n"
        << text << "included:\n"
        << other;
  }
}

}  // namespace
}  // namespace adarun::launcher
