// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/misread.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "launcher/base/error.h"

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

}  // namespace

void refuse_shell_words(std::string_view list, const std::string& where) {
  if (list.find_first_of("{}") != std::string_view::npos)
    throw Error(where + ": ranges have brackets: " + with_brackets(list));
  if (list.find_first_of("*?") != std::string_view::npos)
    throw Error(where + ": no patterns: wanted names and ranges such as node[1-4]");
}

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

bool names_a_file(std::string_view word) {
  constexpr std::array names{"hostfile", "hosts", "machinefile", "nodefile", "nodelist"};
  constexpr std::array endings{".txt", ".json", ".conf", ".cfg", ".list", ".lst", ".hosts", ".yaml", ".yml"};
  return std::ranges::any_of(names, [&](const char* name) { return word == name; }) ||
         std::ranges::any_of(endings, [&](const char* ending) { return word.ends_with(ending); });
}

}  // namespace adarun::launcher
