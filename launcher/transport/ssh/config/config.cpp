// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/config.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "launcher/base/error.h"
#include "launcher/base/number.h"
#include "launcher/hosts/host_list.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {

namespace {

bool is_followed(const ConfigLine& line) {
  static const std::set<std::string> followed = {
      "addressfamily",
      "ciphers",
      "globalknownhostsfile",
      "hostkeyalgorithms",
      "hostkeyalias",
      "hostname",
      "identitiesonly",
      "identityagent",
      "kexalgorithms",
      "macs",
      "port",
      "proxycommand",
      "proxyjump",
      "pubkeyacceptedalgorithms",
      "stricthostkeychecking",
      "user",
      "userknownhostsfile",
  };
  return followed.count(line.keyword) > 0;
}

// Whether a line does not change how adarun connects: settings of terminals, forwarding, keep-alive and
// logging, those that OpenSSH itself ignores by now, and those that ask for what adarun does anyway.
// NOLINTNEXTLINE(readability-function-size): lists of words
bool is_harmless(const ConfigLine& line) {
  static const std::set<std::string> any_value = {
      "addkeystoagent",
      "afstokenpassing",
      "batchmode",
      "canonicaldomains",
      "canonicalizefallbacklocal",
      "canonicalizehostname",
      "canonicalizemaxdots",
      "casignaturealgorithms",
      "challengeresponseauthentication",
      "channeltimeout",
      "checkhostip",
      "cipher",
      "clearallforwardings",
      "compression",
      "compressionlevel",
      "connectionattempts",
      "connecttimeout",
      "controlmaster",
      "controlpath",
      "controlpersist",
      "dynamicforward",
      "enableescapecommandline",
      "enablesshkeysign",
      "escapechar",
      "exitonforwardfailure",
      "fallbacktorsh",
      "fingerprinthash",
      "forkafterauthentication",
      "forwardagent",
      "forwardx11",
      "forwardx11timeout",
      "forwardx11trusted",
      "gatewayports",
      "globalknownhostsfile2",
      "gssapiauthentication",
      "gssapiclientidentity",
      "gssapidelegatecredentials",
      "gssapikexalgorithms",
      "gssapikeyexchange",
      "gssapirenewalforcesrekey",
      "gssapiserveridentity",
      "gssapitrustdns",
      "hashknownhosts",
      "hostbasedacceptedalgorithms",
      "hostbasedkeytypes",
      "ignoreunknown",
      "ipqos",
      "kbdinteractiveauthentication",
      "kbdinteractivedevices",
      "keepalive",
      "kerberosauthentication",
      "kerberostgtpassing",
      "localcommand",
      "localforward",
      "loglevel",
      "logverbose",
      "numberofpasswordprompts",
      "obscurekeystroketiming",
      "passwordauthentication",
      "permitlocalcommand",
      "permitremoteopen",
      "preferredauthentications",
      "protocol",
      "proxyusefdpass",
      "rekeylimit",
      "remoteforward",
      "requesttty",
      "rhostsauthentication",
      "rhostsrsaauthentication",
      "rsaauthentication",
      "sendenv",
      "serveralivecountmax",
      "serveraliveinterval",
      "setenv",
      "skeyauthentication",
      "stdinnull",
      "streamlocalbindmask",
      "streamlocalbindunlink",
      "syslogfacility",
      "tag",
      "tcpkeepalive",
      "tisauthentication",
      "updatehostkeys",
      "usekeychain",
      "useprivilegedport",
      "userknownhostsfile2",
      "useroaming",
      "usersh",
      "visualhostkey",
      "xauthlocation",
  };
  static const std::map<std::string, std::string> this_value = {
      {"canonicalizepermittedcnames", "none"},
      {"hostbasedauthentication", "no"},
      {"nohostauthenticationforlocalhost", "no"},
      {"pubkeyauthentication", "yes"},
      {"tunnel", "no"},
      {"verifyhostkeydns", "no"},
      {"remotecommand", "none"},
      {"knownhostscommand", "none"},
      {"revokedhostkeys", "none"},
      {"sessiontype", "default"},
      {"certificatefile", "none"},
      {"pkcs11provider", "none"},
  };
  const auto value = this_value.find(line.keyword);
  return any_value.count(line.keyword) > 0 ||
         (value != this_value.end() && value->second == yes_or_no(line.text()));
}

// Whether OpenSSH would look the host up in CanonicalDomains, and perhaps take another name for it.
bool is_looked_up(const ConfigSelection& selection) {
  const std::string when = yes_or_no(selection.text("canonicalizehostname", "no"));
  const bool is_direct = lower_case(selection.text("proxyjump", "none")) == "none";
  if (when == "no" || (when != "always" && !is_direct)) return false;
  if (!address_in(selection.hostname).empty()) return false;
  const auto dots = std::count(selection.hostname.begin(), selection.hostname.end(), '.');
  return selection.has("canonicaldomains") &&
         dots <= number<std::ptrdiff_t>(selection.text("canonicalizemaxdots", "1")).value_or(1);
}

std::vector<std::vector<ConfigLine>> read_files(const std::string& given) {
  if (given == "none") return {};
  const std::string folder = home_folder() + "/.ssh";
  if (given.empty())
    return {read_config_lines(folder + "/config", folder),
            read_config_lines("/etc/ssh/ssh_config", "/etc/ssh")};
  std::error_code error;
  const auto status = std::filesystem::status(given, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw Error(given + ": no such ssh config file");
  if (error || access(given.c_str(), R_OK) != 0 || std::filesystem::is_directory(status))
    throw Error(given + ": cannot read this ssh config file");
  return {read_config_lines(given, folder)};
}

// The port of a ProxyJump may be the name of a service.
Host host_of_jump(const std::string& login) {
  const std::size_t colon = login.rfind(':');
  const bool is_service = colon != std::string::npos && port_in(login.substr(colon + 1)) != 0;
  if (!is_service) return parse_login(login);
  return parse_login(login.substr(0, colon + 1) + std::to_string(port_in(login.substr(colon + 1))));
}

void collect_names(const std::vector<ConfigLine>& lines, std::vector<std::string>& names) {
  for (const ConfigLine& line : lines) {
    for (const std::vector<ConfigLine>& file : line.included) collect_names(file, names);
    if (line.keyword != "host") continue;
    for (const std::string& name : line.arguments)
      if (name.find_first_of("*?!") == std::string::npos &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  }
}

}  // namespace

SshConfig::SshConfig(const SshOptions& options)
    : options_(options), files_(read_files(options.config_file)) {}

SshConfig::SshConfig(const SshOptions& options, std::string_view text)
    : options_(options), files_{parse_config_lines(text, "config")} {}

SshSettings SshConfig::settings_for(const Host& host) {
  Host asked = host;
  if (asked.user.empty()) asked.user = options_.user;
  if (asked.port == 0) asked.port = options_.port;
  SshSettings settings = this->settings(asked);
  if (options_.identity.empty()) return settings;
  settings.identities = {options_.identity};
  settings.agent_socket.clear();
  return settings;
}

SshSettings SshConfig::settings_for_jump(const std::string& jump) {
  SshSettings settings = this->settings(host_of_jump(jump));
  if (!options_.identity.empty()) settings.identities.insert(settings.identities.begin(), options_.identity);
  return settings;
}

SshSettings SshConfig::settings(const Host& host) {
  const ConfigSelection selection = select_lines(files_, host);
  SshSettings settings = settings_from(selection, host);
  if (options_.host_key) settings.host_key = *options_.host_key;
  note_ignored(selection);
  return settings;
}

std::vector<std::string> SshConfig::named_hosts() const {
  std::vector<std::string> names;
  for (const std::vector<ConfigLine>& file : files_) collect_names(file, names);
  return names;
}

void SshConfig::note_ignored(const ConfigSelection& selection) {
  const std::vector<std::string> known_to_be_unknown =
      split_commas(lower_case(selection.text("ignoreunknown")));
  const auto is_ignored = [&](const ConfigLine& line) {
    return is_harmless(line) || matches_patterns(line.keyword, known_to_be_unknown);
  };
  for (const auto& [keyword, line] : selection.first)
    if (!is_followed(*line) && !is_ignored(*line)) note(*line, line->spelling + " is not followed");
  for (const SkippedBlock& block : selection.skipped)
    if (std::any_of(block.lines.begin(), block.lines.end(),
                    [&](const auto* each) { return !is_ignored(*each); }))
      note(*block.match, "Match " + block.match->text() +
                             " is taken not to hold: adarun does not know all of its criteria");
  if (is_looked_up(selection))
    note(*selection.first.at("canonicalizehostname"),
         "CanonicalizeHostname is not followed: no name is looked up in CanonicalDomains; say HostName");
  const std::string checking = selection.text("stricthostkeychecking");
  const std::string meant = yes_or_no(checking);
  if (!options_.host_key && (meant == "no" || meant == "off"))
    note(*selection.first.at("stricthostkeychecking"),
         "StrictHostKeyChecking " + checking + " is taken for accept-new: a key that has changed is refused");
}

void SshConfig::note(const ConfigLine& line, const std::string& words) {
  if (noted_.insert(line.place).second) notes_.push_back(line.place + ": " + words);
}

}  // namespace adarun::launcher
