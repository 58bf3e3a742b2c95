// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_list.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/foreign_text.h"
#include "launcher/base/error.h"
#include "launcher/base/read_input.h"
#include "launcher/hosts/ansible_inventory.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {
namespace {

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(text.substr(0, text.find('%'))).c_str(), &address) == 1;
}

// A number of devices: in an address, most often hexadecimal digits or the interface's part.
bool is_small_number(std::string_view text) {
  return !text.empty() && text.size() <= 2 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "node{1..4}" -> "node[1-4]".
std::string with_brackets(std::string_view list) {
  std::string text(list);
  for (std::size_t at = text.find(".."); at != std::string::npos; at = text.find(".."))
    text.replace(at, 2, "-");
  std::ranges::replace(text, '{', '[');
  std::ranges::replace(text, '}', ']');
  return text;
}

// Throws Error, whose message begins with `where`, if a list holds what a shell would have replaced:
// `node{1,2}` or `node*`.
void refuse_shell_words(std::string_view list, const std::string& where) {
  if (list.find_first_of("{}") != std::string_view::npos)
    throw Error(where + ": ranges have brackets: " + with_brackets(list));
  if (list.find_first_of("*?") != std::string_view::npos)
    throw Error(where + ": no patterns: wanted names and ranges such as node[1-4]");
}

constexpr std::string_view blanks = " \t\r\n";

// "node[1-2, 5]:8" -> "node[1-2,5]:8".
std::string without_blanks_in_brackets(std::string_view item) {
  std::string text;
  bool is_inside = false;
  for (const char c : item) {
    if (c == '[' || c == ']') is_inside = c == '[';
    if (!is_inside || blanks.find(c) == std::string_view::npos) text += c;
  }
  return text;
}

// The same for what a hostfile has behind a host: `node1 slots=8`.
void refuse_setting(std::string_view host, std::string_view setting, const std::string& where) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view key = setting.substr(0, equals);
  const bool is_count = (key == "slots" || key == "devices") && host.find(':') == std::string_view::npos;
  throw Error(
      where + ": " + std::string(setting) + " belongs into a hostfile" +
      (is_count ? ", wanted " + std::string(host) + ":" + std::string(setting.substr(equals + 1)) : ""));
}

// The same for names that have blanks or lines between them.
void refuse_blanks(std::string_view item, const std::string& where) {
  if (const std::string wanted = without_blanks_in_brackets(item); wanted != item)
    throw Error(where + ": a blank in brackets, wanted " + wanted);
  const std::size_t end = item.find_first_of(blanks);
  const std::size_t next = item.find_first_not_of(blanks, end);
  if (end == std::string_view::npos || next == std::string_view::npos) return;
  const std::string_view host = item.substr(0, end);
  std::string_view other = item.substr(next);
  other = other.substr(0, other.find_first_of(blanks));
  refuse_setting(host, other, where);
  throw Error(where + ": a blank between hosts, wanted a comma: " + std::string(host) + "," +
              std::string(other));
}

// The same for an item of a list whose colons have several meanings: `10.0.0.1:22:8`, and `fd00::2:8`, which
// is an address that ends in 8 or one with 8 devices.
void refuse_unclear_colons(std::string_view item, const std::string& where) {
  const std::string_view host = item.substr(item.rfind('@') + 1);
  if (host.find('[') != std::string_view::npos || std::ranges::count(host, ':') < 2) return;
  const std::size_t last = host.rfind(':');
  const std::string name(host.substr(0, last));
  const std::string number(host.substr(last + 1));
  if (!is_ipv6(host))
    throw Error(where + ": wanted HOST:DEVICES; a port goes into a hostfile (port=22) or behind --port");
  if (is_small_number(number) && is_ipv6(name))
    throw Error(where + ": wanted [" + std::string(host) + "] for this address, or [" + name + "]:" + number +
                " for " + number + " devices");
}

// Whether a word of a list is more likely a file that is not there: `hosts.txt`, `hostfile`.
bool names_a_file(std::string_view word) {
  constexpr std::array names{"hostfile", "hosts", "machinefile", "nodefile", "nodelist"};
  constexpr std::array endings{".txt", ".json", ".conf", ".cfg", ".list", ".lst", ".hosts", ".yaml", ".yml"};
  return std::ranges::any_of(names, [&](const char* name) { return word == name; }) ||
         std::ranges::any_of(endings, [&](const char* ending) { return word.ends_with(ending); });
}

// The host with all the devices of the items that name it, "node1:2"; empty if one says which devices.
std::string in_one_item(const std::vector<Host>& hosts, const std::string& name) {
  std::size_t count = 0;
  for (const Host& host : hosts) {
    if (host.name != name) continue;
    if (host.asked_kind) return {};
    if (host.devices != first_devices(static_cast<int>(host.devices.size()))) return {};
    count += host.devices.size();
  }
  const std::string written = name.find(':') == std::string::npos ? name : "[" + name + "]";
  return written + ":" + written_count(count);
}

// The step of a range, n[0-14/2], makes no path of a list.
bool has_slash_outside_ranges(const std::string& list) {
  bool is_in_range = false;
  for (const char c : list) {
    if (c == '[' || c == ']') is_in_range = c == '[';
    if (c == '/' && !is_in_range) return true;
  }
  return false;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// Whether "hosts:gpu" are devices of a host, although a file hosts is there.
bool are_devices(const std::string& file, const std::string& word) {
  if (word.empty() || word.find_first_not_of("0123456789-") == std::string::npos) return true;
  const bool may_be_host = file.find_first_of("./") == std::string::npos;
  return may_be_host && device_kind(word) && !is_inventory(read_input(file, "hostfile"));
}

// "inventory.ini:workers" -> the file and the group, where there is such a file; else all is the file's name.
std::pair<std::string, std::string> split_group(const std::string& list) {
  const std::size_t colon = list.rfind(':');
  if (colon == std::string::npos || exists(list) || !exists(list.substr(0, colon))) return {list, ""};
  const std::string file = list.substr(0, colon);
  const std::string group = list.substr(colon + 1);
  return are_devices(file, group) ? std::pair(list, std::string()) : std::pair(file, group);
}

bool is_file(const std::string& list) {
  for (const char* beginning : {"/", "./", "../"})
    if (list.starts_with(beginning)) return true;
  if (list.find('@') != std::string::npos) return false;  // user@host, or a list with files in it
  if (list.starts_with('^') || list.find("://") != std::string::npos) return false;
  return has_slash_outside_ranges(list) || exists(split_group(list).first);
}

// "{", or "[" with a text or an object behind it: brackets of a hostfile hold numbers.
bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos || text[first] == '{') return first != std::string_view::npos;
  const std::size_t second = text.find_first_not_of(blanks, first + 1);
  return text[first] == '[' && second != std::string_view::npos &&
         (text[second] == '"' || text[second] == '{');
}

std::vector<Host> read_file(const std::string& list) {
  const auto [path, group] = split_group(list);
  const std::string text = read_input(path, "hostfile");
  if (is_json(text)) throw Error(path + ": JSON, and no hostfile (a rank table goes behind -r)");
  if (is_inventory(text)) return parse_inventory(text, path, group);
  if (!group.empty()) throw Error(path + ": no inventory of Ansible, wanted one before \":" + group + "\"");
  try {
    return parse_hostfile(text, path);
  } catch (const Error&) {
    const auto kind = base::text_kind(text);
    if (!kind) throw;
    throw Error(path + ": " + std::string(kind->name) + ", and no hostfile" +
                (kind->advice.empty() ? "" : "; " + std::string(kind->advice)));
  }
}

// The file behind '@' or '^'. A word without an ending may be meant as a group of clush.
std::vector<Host> read_reference(std::string_view item, const std::string& where) {
  const std::string name(item.substr(1));
  const bool may_be_group = item.front() == '@' && !name.empty() &&
                            name.find_first_of("./") == std::string::npos && !exists(split_group(name).first);
  if (may_be_group)
    throw Error(where + ": no file " + name + " in this folder; for a group of clush: \"$(nodeset -f @" +
                name + ")\"");
  return read_file(name);
}

// mpirun's -x PATH passes a variable on.
std::string if_variable(const std::string& name) {
  const bool in_capitals =
      name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  return in_capitals && std::getenv(name.c_str()) != nullptr ? "; for the variable: --env " + name : "";
}

// The hosts of a list and of the hostfiles in it, and the names that the list itself has.
struct ListedHosts {
  std::vector<Host> all;
  std::set<std::string> typed;
};

ListedHosts read_list(const std::string& list, const std::string& option) {
  if (is_file(list)) return {read_file(list), {}};
  const std::string where = option + " \"" + list + "\"";
  if (list.find('@') == std::string::npos) refuse_shell_words(list, where);
  HostCollector all;
  std::set<std::string> typed;
  for (const std::string_view item : split_items(list)) {
    const bool is_reference = !item.empty() && (item.front() == '@' || item.front() == '^');
    if (!is_reference && names_a_file(item))
      throw Error(where + ": " + std::string(item) + ": no such file in this folder");
    const std::vector<Host> hosts =
        is_reference ? read_reference(item, where) : parse_host_list(item, option);
    all.add(hosts, where);
    if (!is_reference)
      for (const Host& host : hosts) typed.insert(host.name);
  }
  return {std::move(all.all()), std::move(typed)};
}

// Throws Error, whose message begins with `where`, if a host is named twice or there is none.
void refuse_twins(const std::vector<Host>& hosts, const std::string& where) {
  std::map<std::string, int> ports;
  for (const Host& host : hosts) {
    const auto [first, is_new] = ports.emplace(host.name, host.port);
    if (is_new) continue;
    const std::string apart = if_ports_differ(first->second, host.port);
    const std::string wanted = apart.empty() ? in_one_item(hosts, host.name) : "";
    throw Error(where + ": host \"" + host.name + "\" is named twice" + apart +
                (wanted.empty() ? "" : "; for all its ranks: " + wanted));
  }
  if (hosts.empty()) throw Error(where + ": no host in it");
  for (const auto& [name, port] : ports) {
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos && are_one_name(name.substr(0, dot), name) &&
        ports.count(name.substr(0, dot)) > 0)
      throw Error(where + ": hosts \"" + name.substr(0, dot) + "\" and \"" + name +
                  "\" are one machine by their names; two machines: write both with their domains");
  }
}

// Throws Error where one of these names to leave out, without a domain, is that of two hosts.
void refuse_unclear_names(const std::vector<Host>& hosts, const std::set<std::string>& names,
                          const std::string& list) {
  std::map<std::string, std::string> full_names;
  for (const Host& host : hosts) {
    const std::string short_name = host.name.substr(0, host.name.find('.'));
    if (names.count(short_name) == 0 || names.count(host.name) > 0 || !are_one_name(short_name, host.name))
      continue;
    const auto [first, is_new] = full_names.emplace(short_name, host.name);
    if (!is_new)
      throw Error("--exclude \"" + list + "\": host \"" + short_name + "\" may be " + first->second + " or " +
                  host.name + ", wanted the name with its domain");
  }
}

}  // namespace

std::vector<Host> parse_host_list(std::string_view text, const std::string& option) {
  const std::string where = option + " \"" + std::string(text) + "\"";
  HostCollector hosts;
  for (const std::string_view item : split_items(text)) {
    refuse_shell_words(item, where);
    refuse_blanks(item, where);
    if (const std::optional<Host> url = url_host(item, where)) {
      hosts.add(*url, where);
      continue;
    }
    refuse_unclear_colons(item, where);
    const auto [names, count] = split_count(item);
    if (names.empty()) throw Error(where + ": a host without a name");
    Host host{"", first_devices(1), "", 0};
    refuse_port(names, count, where);
    if (names.size() < item.size()) count_devices(host, count, where + ": devices of " + std::string(names));
    std::tie(host.user, host.name) = split_user(names, where);
    hosts.add(host, where);
  }
  refuse_twins(hosts.all(), where);
  return std::move(hosts.all());
}

Host parse_login(std::string_view text) {
  const std::string where = "\"" + std::string(text) + "\"";
  auto [user, rest] = split_user(text, where);
  const auto [name, port] = split_count(rest);
  const bool has_port = name.size() < rest.size();
  const bool in_brackets = name.starts_with('[') && name.ends_with(']');
  Host host;
  host.name = in_brackets ? name.substr(1, name.size() - 2) : name;
  host.user = std::move(user);
  if (has_port) host.port = number_in(port, 1, 65535, where + ": port");
  if (host.name.empty()) throw Error(where + ": a host without a name");
  return host;
}

std::optional<Host> url_host(std::string_view text, const std::string& where) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  const std::string wanted = where + ": \"" + std::string(text) + "\": wanted ssh://[USER@]HOST[:PORT]";
  std::string_view login = text.substr(scheme + 3);
  if (login.ends_with('/')) login.remove_suffix(1);
  if (text.substr(0, scheme) != "ssh" || login.find('/') != std::string_view::npos) throw Error(wanted);
  Host host;
  try {
    host = parse_login(login);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
  if (host.name.find(':') != std::string::npos && !is_ipv6(host.name)) throw Error(wanted);
  host.devices = first_devices(1);
  return host;
}

std::vector<Host> read_hosts(const std::string& list, const std::string& option) {
  std::vector<Host> hosts = read_list(list, option).all;
  refuse_twins(hosts, option + " \"" + list + "\"");
  return hosts;
}

std::string unread_variable(const std::string& list) {
  const std::string path = is_file(list) ? split_group(list).first : "";
  if (!exists(path)) return "";  // A pipe is read only once.
  const std::string text = read_input(path, "hostfile");
  if (!is_inventory(text)) return "";
  for (const char* name : {"ansible_ssh_private_key_file", "ansible_private_key_file"})
    if (text.find(name) != std::string::npos)
      return path + ": " + name + ": not read; wanted --identity FILE, or IdentityFile in ~/.ssh/config";
  const std::string beside = unread_variable_beside(path);
  return beside.empty() ? "" : beside + ": not read; wanted it in the inventory itself";
}

std::vector<Host> without(const std::vector<Host>& hosts, const std::string& list) {
  const ListedHosts excluded = read_list(list, "--exclude");
  std::set<std::string> names;
  std::map<std::string, std::string> full_names;  // By the name without the domain.
  for (const Host& host : excluded.all) {
    names.insert(host.name);
    if (are_one_name(host.name.substr(0, host.name.find('.')), host.name))
      full_names.emplace(host.name.substr(0, host.name.find('.')), host.name);
  }
  refuse_unclear_names(hosts, names, list);
  std::set<std::string> unknown = excluded.typed;
  std::vector<Host> rest;
  for (const Host& host : hosts) {
    const std::string short_name = host.name.substr(0, host.name.find('.'));
    const auto full = full_names.find(host.name);
    const bool is_full = names.count(short_name) > 0 && are_one_name(short_name, host.name);
    unknown.erase(host.name);
    if (is_full) unknown.erase(short_name);
    if (full != full_names.end()) unknown.erase(full->second);
    if (names.count(host.name) == 0 && !is_full && full == full_names.end()) rest.push_back(host);
  }
  if (!unknown.empty())
    throw Error("--exclude \"" + list + "\": host \"" + *unknown.begin() + "\" is not among the hosts" +
                if_variable(*unknown.begin()));
  if (rest.empty()) throw Error("--exclude \"" + list + "\": no host is left");
  return rest;
}

}  // namespace adarun::launcher
