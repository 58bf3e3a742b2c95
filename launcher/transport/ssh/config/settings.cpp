// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/settings.h"

#include <openssl/sha.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {
namespace {

constexpr int default_port = 22;

[[noreturn]] void refuse(const ConfigSelection& selection, const std::string& keyword,
                         const std::string& wanted) {
  const ConfigLine& line = *selection.first.at(keyword);
  line.refuse(line.text(), wanted);
}

// The value that a word stands for; nothing if the configuration lacks the keyword.
template <typename Value>
std::optional<Value> choice(const ConfigSelection& selection, const std::string& keyword,
                            const std::map<std::string, Value>& values) {
  if (!selection.has(keyword)) return std::nullopt;
  const auto value = values.find(yes_or_no(selection.text(keyword)));
  if (value != values.end()) return value->second;
  std::string words;
  for (const auto& [word, ignored] : values) words += (words.empty() ? "" : ", ") + word;
  refuse(selection, keyword, "wanted one of " + words);
}

int port_of(const ConfigSelection& selection) {
  if (!selection.has("port")) return default_port;
  const int port = port_in(selection.text("port"));
  if (port == 0)
    refuse(selection, "port", "wanted a number from 1 to 65535, or the name of a service, such as ssh");
  return port;
}

bool is_none(const std::string& value) {
  return lower_case(value) == "none";
}

std::string hex_of_sha1(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, SHA_DIGEST_LENGTH> hash{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  std::string hex;
  for (const unsigned char byte : hash) hex += {digits[byte >> 4U], digits[byte & 15U]};
  return hex;
}

// "gate" of "me@gate:2222".
std::string host_in_jump(const std::string& jump) {
  const std::string host = jump.substr(jump.rfind('@') + 1);
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

// Those of ssh_config(5) in names of files and sockets.
Tokens tokens_of(const ConfigSelection& selection, const Host& host, const SshSettings& settings) {
  const std::string local_name = machine_name();
  const std::string port = std::to_string(settings.port);
  const std::string alias = lower_case(selection.text("hostkeyalias"));
  const std::string jump = settings.jumps.empty() ? "" : host_in_jump(settings.jumps.back());
  return {{'C', hex_of_sha1(local_name + settings.hostname + port + settings.user + jump)},
          {'d', home_folder()},
          {'h', settings.hostname},
          {'i', std::to_string(getuid())},
          {'j', jump},
          {'k', alias.empty() ? host.name : alias},
          {'L', local_name.substr(0, local_name.find('.'))},
          {'l', local_name},
          {'n', host.name},
          {'p', port},
          {'r', settings.user},
          {'u', user_name()}};
}

std::string agent_socket_of(const ConfigSelection& selection, const Tokens& tokens) {
  std::string where = selection.text("identityagent", "SSH_AUTH_SOCK");
  if (is_none(where)) return "";
  if (where == "SSH_AUTH_SOCK") where = "$SSH_AUTH_SOCK";
  if (!where.starts_with('$') || where.starts_with("${"))
    return selection.first.at("identityagent")->expanded(where, tokens, Value::path);
  const char* value = std::getenv(where.c_str() + 1);
  return value == nullptr ? "" : value;
}

// A variable may be set and empty: OpenSSH then has no file.
void add_path(std::string path, std::vector<std::string>& paths) {
  if (!path.empty()) paths.push_back(std::move(path));
}

std::vector<std::string> identities_of(const ConfigSelection& selection, const Tokens& tokens) {
  std::vector<std::string> files;
  for (const ConfigLine* line : selection.identities)
    if (!is_none(line->arguments.front()))
      add_path(line->expanded(line->arguments.front(), tokens, Value::path), files);
  if (selection.identities.empty())
    for (const char* name : {"rsa", "ecdsa", "ecdsa_sk", "ed25519", "ed25519_sk"})
      files.push_back(home_folder() + "/.ssh/id_" + name);
  return files;
}

void take_known_hosts(const ConfigSelection& selection, const Tokens& tokens, SshSettings& settings) {
  settings.user_known_hosts = {home_folder() + "/.ssh/known_hosts", home_folder() + "/.ssh/known_hosts2"};
  settings.global_known_hosts = {"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};
  if (selection.has("userknownhostsfile")) {
    const ConfigLine& line = *selection.first.at("userknownhostsfile");
    settings.user_known_hosts.clear();
    for (const std::string& name : line.arguments)
      if (!is_none(name)) add_path(line.expanded(name, tokens, Value::path), settings.user_known_hosts);
  }
  if (!selection.has("globalknownhostsfile")) return;
  settings.global_known_hosts = selection.list("globalknownhostsfile");  // Without tokens, as in OpenSSH.
  std::erase_if(settings.global_known_hosts, is_none);
}

void take_key_name(const ConfigSelection& selection, SshSettings& settings) {
  settings.key_name = settings.port == default_port
                          ? settings.hostname
                          : "[" + settings.hostname + "]:" + std::to_string(settings.port);
  settings.key_name = lower_case(selection.text("hostkeyalias", settings.key_name));
}

// "a@b" of "a%40b", as in a URI.
std::string percent_decoded(const ConfigLine& line, const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const char* const end = text.data() + std::min(i + 3, text.size());
    const auto [read_to, error] = std::from_chars(text.data() + i + 1, end, value, 16);
    if (error != std::errc() || read_to != text.data() + i + 3 || value < ' ')
      line.refuse(text, "wanted % and two hexadecimal digits, such as %40 for @");
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

// "[user@]host[:port]" of that or of "ssh://[user@]host[:port][/]", whose user is percent-encoded.
std::string login_of_jump(const ConfigLine& line, const std::string& jump, const Tokens& tokens) {
  const std::string scheme = "ssh://";
  if (!jump.starts_with(scheme)) return line.expanded(jump, tokens);
  std::string host = jump.substr(scheme.size());
  std::string user;
  if (const std::size_t at = host.find('@'); at != std::string::npos) {
    user = percent_decoded(line, host.substr(0, std::min(at, host.find(';')))) + "@";
    host.erase(0, at + 1);
  }
  if (host.ends_with('/')) host.pop_back();
  if (host.find('/') != std::string::npos) line.refuse(jump, "wanted ssh://[USER@]HOST[:PORT]");
  return user + line.expanded(host, tokens);
}

void take_jumps(const ConfigSelection& selection, const Host& host, SshSettings& settings) {
  if (selection.has("proxycommand") && !is_none(selection.text("proxycommand")))
    refuse(selection, "proxycommand",
           "adarun runs no such command to reach " + host.name +
               "; say ProxyJump HOST, or --ssh-config FILE without it");
  const std::string jumps = selection.text("proxyjump", "none");
  if (is_none(jumps)) return;
  const Tokens tokens{
      {'h', settings.hostname}, {'n', host.name}, {'p', std::to_string(settings.port)}, {'r', settings.user}};
  for (const std::string& jump : split_commas(jumps))
    settings.jumps.push_back(login_of_jump(*selection.first.at("proxyjump"), jump, tokens));
}

AlgorithmList algorithms_of(const ConfigSelection& selection, const std::string& keyword) {
  const std::string text = selection.text(keyword);
  if (text.empty()) return {};
  const ConfigLine& line = *selection.first.at(keyword);
  return {text, line.place + ": " + line.spelling + " \"" + text + "\""};
}

void take_algorithms(const ConfigSelection& selection, SshSettings& settings) {
  settings.key_exchange = algorithms_of(selection, "kexalgorithms");
  settings.ciphers = algorithms_of(selection, "ciphers");
  settings.macs = algorithms_of(selection, "macs");
  settings.host_key_algorithms = algorithms_of(selection, "hostkeyalgorithms");
  settings.accepted_keys = algorithms_of(selection, "pubkeyacceptedalgorithms");
}

}  // namespace

SshSettings settings_from(const ConfigSelection& selection, const Host& host) {
  SshSettings settings;
  settings.hostname = selection.hostname;
  settings.port = host.port != 0 ? host.port : port_of(selection);
  settings.user = host.user.empty() ? selection.text("user", user_name()) : host.user;
  settings.family =
      choice<int>(selection, "addressfamily", {{"any", AF_UNSPEC}, {"inet", AF_INET}, {"inet6", AF_INET6}})
          .value_or(AF_UNSPEC);
  settings.identities_only =
      choice<bool>(selection, "identitiesonly", {{"yes", true}, {"no", false}}).value_or(false);
  settings.host_key = choice<HostKey>(selection, "stricthostkeychecking",
                                      {{"yes", HostKey::strict},
                                       {"ask", HostKey::strict},
                                       {"accept-new", HostKey::accept_new},
                                       {"no", HostKey::accept_new},
                                       {"off", HostKey::accept_new}})
                          .value_or(HostKey::strict);
  take_key_name(selection, settings);
  take_jumps(selection, host, settings);
  const Tokens tokens = tokens_of(selection, host, settings);
  settings.agent_socket = agent_socket_of(selection, tokens);
  settings.identities = identities_of(selection, tokens);
  settings.default_identities = selection.identities.empty();
  take_known_hosts(selection, tokens, settings);
  take_algorithms(selection, settings);
  return settings;
}

}  // namespace adarun::launcher
