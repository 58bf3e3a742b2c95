// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/keywords.h"

#include <map>
#include <set>

#include "launcher/transport/ssh/config/pattern.h"

namespace adarun::launcher {

bool is_followed(const std::string& keyword) {
  static const std::set<std::string> keywords = {
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
      "pubkeyacceptedkeytypes",
      "stricthostkeychecking",
      "user",
      "userknownhostsfile",
  };
  return keywords.count(keyword) > 0;
}

// NOLINTNEXTLINE(readability-function-size): lists of words
bool is_harmless(const ConfigLine& line) {
  static const std::set<std::string> any_value = {
      "addkeystoagent",
      "batchmode",
      "casignaturealgorithms",
      "challengeresponseauthentication",
      "channeltimeout",
      "checkhostip",
      "clearallforwardings",
      "compression",
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
      "fingerprinthash",
      "forkafterauthentication",
      "forwardagent",
      "forwardx11",
      "forwardx11timeout",
      "forwardx11trusted",
      "gatewayports",
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
      "proxyusefdpass",
      "rekeylimit",
      "remoteforward",
      "requesttty",
      "sendenv",
      "serveralivecountmax",
      "serveraliveinterval",
      "setenv",
      "stdinnull",
      "streamlocalbindmask",
      "streamlocalbindunlink",
      "syslogfacility",
      "tag",
      "tcpkeepalive",
      "updatehostkeys",
      "usekeychain",
      "useroaming",
      "visualhostkey",
      "xauthlocation",
  };
  static const std::map<std::string, std::string> this_value = {
      {"canonicalizehostname", "no"},
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
         (value != this_value.end() && value->second == lower_case(line.text()));
}

}  // namespace adarun::launcher
