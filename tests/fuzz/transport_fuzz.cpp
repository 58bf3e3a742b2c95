// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell_word.h"
#include "launcher/base/error.h"
#include "launcher/transport/command/remote_command.h"
#include "launcher/transport/ssh/agent_login.h"
#include "launcher/transport/ssh/config/config.h"
#include "launcher/transport/ssh/key_blob.h"
#include "launcher/transport/ssh/known_hosts.h"
#include "launcher/transport/ssh/ssh_connector.h"
#include "tests/fuzz/fuzz.h"
#include "tests/scratch_folder.h"

namespace launcher = adarun::launcher;

namespace {

// Any bytes as an answer of ssh-agent: each key that is offered stands in it, and those that are named come
// first.
void fuzz_agent_answer(std::string_view answer) {
  launcher::LoginKeys keys;
  const std::size_t all = launcher::identities_to_offer(answer, keys).size();
  keys.named = {{"b25l", ""}, {"YQ==", ""}};
  const std::vector<launcher::AgentIdentity> offered = launcher::identities_to_offer(answer, keys);
  demand(offered.size() == all);
  for (const launcher::AgentIdentity& each : offered)
    demand(answer.find(each.bytes) != std::string_view::npos);
  keys.identities_only = true;
  const std::size_t named = launcher::identities_to_offer(answer, keys).size();
  demand(named <= 2 && named <= all);
  for (std::size_t i = 0; i < named; ++i)
    demand(offered[i].public_key == "b25l" || offered[i].public_key == "YQ==");
}

// Any bytes as a certificate: what is read of it stands in it.
void fuzz_ssh_certificate(std::string_view bytes) {
  const auto certificate = launcher::parse_certificate("x " + launcher::to_base64(bytes) + " me");
  if (!certificate) return;
  demand(launcher::from_base64(certificate->base64) == bytes);
  std::string key = launcher::from_base64(certificate->key);
  std::string_view fields = key;
  demand(launcher::cut_string(fields) && bytes.find(fields) != std::string_view::npos);
}

// Any bytes as a known-hosts file: it is read, whatever its lines are, and a repeated lookup gives the same
// result.
void fuzz_known_hosts(std::string_view bytes) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("known_hosts", bytes);
  launcher::KnownHosts hosts;
  for (const char* name : {"node1", "[node1]:2222", "10.0.0.1", "::1"})
    demand(hosts.keys_of(name, {path}).size() == hosts.keys_of(name, {path}).size());
}

void send_all(int socket, std::string_view bytes) {
  demand(::send(socket, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
}

// The result after all bytes were sent and the other side closed the connection.
void read_banner(std::string_view first, std::string_view second, int ours, int theirs) {
  launcher::SshBanner banner;
  using Answer = launcher::SshBanner::Answer;
  send_all(theirs, first);
  Answer answer = banner.read(ours);
  demand(answer != Answer::hang_up);
  if (answer == Answer::incomplete) {
    send_all(theirs, second);
    ::shutdown(theirs, SHUT_WR);
    for (int looks = 0; looks < 3 && answer == Answer::incomplete; ++looks) answer = banner.read(ours);
    demand(answer != Answer::incomplete);
  }
  demand(banner.words().find('\n') == std::string::npos);
  if (answer != Answer::sshd) return;
  std::array<char, 4> next{};
  demand(::recv(ours, next.data(), next.size(), 0) == 4);
  demand(std::string_view(next.data(), next.size()) == "SSH-");
}

// Any bytes from a port, in two pieces: an sshd's version line, other text that can be shown, or an Error.
void fuzz_ssh_banner(std::string_view bytes) {
  const unsigned choice = take_byte(bytes);
  int sockets[2];
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets) == 0);
  const std::size_t cut = bytes.size() * choice / 256;
  try {
    read_banner(bytes.substr(0, cut), bytes.substr(cut), sockets[0], sockets[1]);
  } catch (const launcher::Error& error) {
    demand(!std::string_view(error.what()).empty());
  }
  ::close(sockets[0]);
  ::close(sockets[1]);
}

bool are_usable(const launcher::SshSettings& settings) {
  return settings.port >= 1 && settings.port <= 65535 && !settings.user.empty();
}

// An ssh configuration: any bytes give valid settings, for a host and for a jump host, or an Error.
void fuzz_ssh_config(std::string_view bytes) {
  try {
    launcher::SshConfig config({}, bytes);
    const launcher::SshSettings settings = config.settings_for({"node1", {0}, "", 0});
    for (const std::string& jump : settings.jumps) config.settings_for_jump(jump);
    demand(are_usable(settings));
    for (const std::string& note : config.notes()) demand(note.starts_with("config:"));
  } catch (const launcher::Error&) {
  }
}

const char* set_variable(const char* name) {
  return std::string_view(name) == "JOB" ? "7 {host} {command}" : nullptr;
}

void check_words(const std::vector<std::string>& words, const std::string& line) {
  const std::vector<std::string> program{"/bin/sh", "-c", "it's"};
  demand(words.front() == launcher::split_words(line).front());
  const std::string quoted = adarun::base::shell_words(program);
  const bool has_text = std::any_of(words.begin(), words.end(), [&quoted](const std::string& word) {
    return word.find(quoted) != std::string::npos;
  });
  demand(has_text ||
         (words.size() > program.size() && std::equal(program.rbegin(), program.rend(), words.rbegin())));
}

// Lines as a remote command, a host and a user: any lines give words that run the program on the node, or an
// Error. No host or user is an option.
void fuzz_remote_command(std::string_view text) {
  const std::string line(take_line(text));
  launcher::CommandTarget target{
      std::string(take_line(text)), std::string(take_line(text)), 22, "key", "", "yes"};
  try {
    const launcher::RemoteCommand command = launcher::parse_remote_command("exec", line, set_variable);
    const auto words = launcher::words_of(command, target, {"/bin/sh", "-c", "it's"});
    demand(!target.host.starts_with('-') && !target.user.starts_with('-'));
    check_words(words, line);
    demand(!launcher::text_of(command, target).empty());
  } catch (const launcher::Error&) {
  }
}

const FuzzTargets transport_targets{
    {"agent_answer", fuzz_agent_answer},       {"known_hosts", fuzz_known_hosts},
    {"ssh_certificate", fuzz_ssh_certificate}, {"ssh_banner", fuzz_ssh_banner},
    {"ssh_config", fuzz_ssh_config},           {"remote_command", fuzz_remote_command},
};

}  // namespace
