// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/settings.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>

#include "launcher/base/error.h"
#include "launcher/base/number.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {
namespace {

constexpr int default_port = 22;

[[noreturn]] void refuse(const ConfigSelection& selection, const std::string& keyword,
                         const std::string& wanted) {
  const ConfigLine& line = *selection.first.at(keyword);
  throw Error(line.place + ": " + line.spelling + " \"" + line.text() + "\": " + wanted);
}

// The value that a word stands for; nothing if the configuration lacks the keyword.
template <typename Value>
std::optional<Value> choice(const ConfigSelection& selection, const std::string& keyword,
                            const std::map<std::string, Value>& values) {
  if (!selection.has(keyword)) return std::nullopt;
  const auto value = values.find(lower_case(selection.text(keyword)));
  if (value != values.end()) return value->second;
  std::string words;
  for (const auto& [word, ignored] : values) words += (words.empty() ? "" : ", ") + word;
  refuse(selection, keyword, "wanted one of " + words);
}

int port_of(const ConfigSelection& selection) {
  if (!selection.has("port")) return default_port;
  const auto port = number<int>(selection.text("port"));
  if (!port || *port < 1 || *port > 65535) refuse(selection, "port", "wanted a number from 1 to 65535");
  return *port;
}

std::string agent_socket_of(const ConfigSelection& selection) {
  std::string where = selection.text("identityagent", "SSH_AUTH_SOCK");
  if (where == "none") return "";
  if (where == "SSH_AUTH_SOCK") where = "$SSH_AUTH_SOCK";
  if (!where.starts_with('$') || where.starts_with("${")) return expand_home(expand_environment(where));
  const char* value = std::getenv(where.c_str() + 1);
  return value == nullptr ? "" : value;
}

// The values of %-tokens in file names.
std::map<char, std::string> tokens_of(const Host& host, const SshSettings& settings) {
  const std::string local_name = machine_name();
  return {{'d', home_folder()},
          {'h', settings.hostname},
          {'i', std::to_string(getuid())},
          {'k', settings.key_name},
          {'L', local_name.substr(0, local_name.find('.'))},
          {'l', local_name},
          {'n', host.name},
          {'p', std::to_string(settings.port)},
          {'r', settings.user},
          {'u', user_name()}};
}

std::vector<std::string> expand_files(const std::vector<std::string>& names,
                                      const std::map<char, std::string>& tokens) {
  std::vector<std::string> files;
  for (const std::string& name : names)
    if (name != "none") files.push_back(expand_home(expand_tokens(expand_environment(name), tokens)));
  return files;
}

void take_files(const ConfigSelection& selection, const Host& host, SshSettings& settings) {
  std::vector<std::string> identities;
  for (const ConfigLine* line : selection.identities)
    if (!line->arguments.empty()) identities.push_back(line->arguments.front());
  if (identities.empty())
    identities = {"~/.ssh/id_rsa", "~/.ssh/id_ecdsa", "~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519",
                  "~/.ssh/id_ed25519_sk"};
  std::vector<std::string> user = selection.list("userknownhostsfile");
  std::vector<std::string> global = selection.list("globalknownhostsfile");
  if (user.empty()) user = {"~/.ssh/known_hosts", "~/.ssh/known_hosts2"};
  if (global.empty()) global = {"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};
  const std::map<char, std::string> tokens = tokens_of(host, settings);
  settings.identities = expand_files(identities, tokens);
  settings.user_known_hosts = expand_files(user, tokens);
  settings.global_known_hosts = expand_files(global, tokens);
}

void take_key_name(const ConfigSelection& selection, const Host& host, SshSettings& settings) {
  settings.key_name = settings.port == default_port
                          ? settings.hostname
                          : "[" + settings.hostname + "]:" + std::to_string(settings.port);
  if (selection.has("hostkeyalias"))
    settings.key_name = lower_case(
        expand_tokens(selection.text("hostkeyalias"), {{'h', settings.hostname}, {'n', host.name}}));
}

void take_jumps(const ConfigSelection& selection, const Host& host, SshSettings& settings) {
  if (selection.has("proxycommand") && selection.text("proxycommand") != "none")
    refuse(selection, "proxycommand",
           "adarun runs no such command to reach " + host.name +
               "; say ProxyJump HOST, or --ssh-config FILE without it");
  if (selection.text("proxyjump", "none") != "none")
    settings.jumps =
        split_commas(expand_tokens(selection.text("proxyjump"), {{'h', settings.hostname},
                                                                 {'n', host.name},
                                                                 {'p', std::to_string(settings.port)},
                                                                 {'r', settings.user}}));
}

void take_algorithms(const ConfigSelection& selection, SshSettings& settings) {
  settings.key_exchange = selection.text("kexalgorithms");
  settings.ciphers = selection.text("ciphers");
  settings.macs = selection.text("macs");
  settings.host_key_algorithms = selection.text("hostkeyalgorithms");
  settings.accepted_keys =
      selection.text("pubkeyacceptedalgorithms", selection.text("pubkeyacceptedkeytypes"));
}

}  // namespace

SshSettings settings_from(const ConfigSelection& selection, const Host& host) {
  SshSettings settings;
  settings.hostname = lower_case(expand_tokens(selection.text("hostname", host.name), {{'h', host.name}}));
  settings.port = host.port != 0 ? host.port : port_of(selection);
  settings.user = host.user.empty() ? selection.text("user", user_name()) : host.user;
  settings.family =
      choice<int>(selection, "addressfamily", {{"any", AF_UNSPEC}, {"inet", AF_INET}, {"inet6", AF_INET6}})
          .value_or(AF_UNSPEC);
  settings.identities_only =
      choice<bool>(selection, "identitiesonly", {{"yes", true}, {"no", false}}).value_or(false);
  settings.agent_socket = agent_socket_of(selection);
  settings.host_key = choice<HostKey>(selection, "stricthostkeychecking",
                                      {{"yes", HostKey::strict},
                                       {"ask", HostKey::strict},
                                       {"accept-new", HostKey::accept_new},
                                       {"no", HostKey::accept_new},
                                       {"off", HostKey::accept_new}})
                          .value_or(HostKey::strict);
  take_key_name(selection, host, settings);
  take_jumps(selection, host, settings);
  take_files(selection, host, settings);
  take_algorithms(selection, settings);
  return settings;
}

}  // namespace adarun::launcher
