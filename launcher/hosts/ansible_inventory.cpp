// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/ansible_inventory.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "launcher/hosts/host_words.h"
#include "launcher/hosts/inventory.h"
#include "ranktable/model/error.h"
#include "ranktable/model/read_start.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_levels = 64;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_behind(std::string_view line, std::size_t at, std::string_view signs) {
  return at == 0 || signs.find(line[at - 1]) != std::string_view::npos;
}

// Without a comment: from a '#' at the beginning or behind a blank on, but in no value in quotes.
std::string_view without_comment(std::string_view line) {
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '"' || c == '\'') && is_behind(line, at, " \t=:{,[")) {
      quote = c;
    } else if (c == '#' && is_behind(line, at, " \t")) {
      return line.substr(0, at);
    }
  }
  return line;
}

// Whether a value begins with a quote and does not end with the same one.
bool has_open_quote(std::string_view value) {
  return !value.empty() && (value.front() == '"' || value.front() == '\'') &&
         (value.size() == 1 || value.back() != value.front());
}

std::string without_quotes(std::string_view value) {
  const bool is_quoted =
      value.size() > 1 && value.front() == value.back() && (value.front() == '"' || value.front() == '\'');
  return std::string(is_quoted ? value.substr(1, value.size() - 2) : value);
}

// "[workers]", "[workers:vars]": name and what it holds; nothing if the line is no section.
std::optional<std::pair<std::string, std::string>> section_of(std::string_view line) {
  line = trimmed(without_comment(line));
  if (line.size() < 3 || line.front() != '[' || line.back() != ']') return std::nullopt;
  line = line.substr(1, line.size() - 2);
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  const std::string_view kind = colon == std::string_view::npos ? "hosts" : line.substr(colon + 1);
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_letter);
  if (!is_name || (kind != "hosts" && kind != "vars" && kind != "children")) return std::nullopt;
  return std::pair(std::string(name), std::string(kind));
}

constexpr const char* open_quote = "a quote without its partner";

// Words of a line up to a comment, whose values may have blanks in quotes: node1 a="b c". Nothing if a quote
// is open at the end.
std::optional<std::vector<std::string>> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote == '\0' && c == '#' && is_behind(line, at, " \t")) break;
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\r')) {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
      continue;
    }
    if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = '\0';
    else
      word += c;
  }
  if (quote != '\0') return std::nullopt;
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

void read_host_line(Inventory& inventory, std::string_view line, const std::string& group,
                    std::size_t number) {
  const std::optional<std::vector<std::string>> in_line = words_of(line);
  if (!in_line) inventory.fail(number, open_quote);
  const std::vector<std::string>& words = *in_line;
  if (words.empty()) return;
  const std::vector<std::string> hosts = inventory.add(words.front(), group, number);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0)
      inventory.fail(number, "\"" + words[i] + "\": wanted VARIABLE=VALUE behind the host");
    inventory.set(hosts, words[i].substr(0, equals), words[i].substr(equals + 1), number);
  }
}

void read_variable_line(Inventory& inventory, std::string_view line, const std::string& group,
                        std::size_t number) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) inventory.fail(number, "wanted VARIABLE=VALUE");
  const std::string variable(trimmed(line.substr(0, equals)));
  const std::string_view value = trimmed(line.substr(equals + 1));
  if (Inventory::uses(variable) && has_open_quote(value)) inventory.fail(number, open_quote);
  inventory.set_of_group(group, variable, without_quotes(value), number);
}

void read_ini(Inventory& inventory, std::string_view text) {
  std::string group = "ungrouped";
  std::string kind = "hosts";
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (const auto section = section_of(line)) {
      std::tie(group, kind) = *section;
      if (kind != "vars") inventory.add_group(group, number);
      continue;
    }
    const std::string_view content = trimmed(without_comment(line));
    if (content.empty() || content.front() == ';') continue;
    if (content.front() == '[' && content.back() == ']')
      inventory.fail(
          number, "\"" + std::string(content) +
                      "\": wanted [GROUP], [GROUP:vars] or [GROUP:children], a GROUP of letters and digits");
    if (kind == "hosts")
      read_host_line(inventory, line, group, number);
    else if (kind == "children")
      inventory.add_child(group, std::string(content), number);
    else
      read_variable_line(inventory, content, group, number);
  }
}

// The part of YAML that inventories are written in: maps by indentation, and flat ones in { }.
class YamlInventory {
 public:
  explicit YamlInventory(Inventory& inventory) : inventory_(inventory) { levels_.push_back({}); }

  void read(std::string_view text) {
    for (std::string_view line : split(text, '\n')) {
      ++number_;
      line = without_comment(line);
      const std::string_view content = trimmed(line);
      if (content.empty() || content == "---" || content == "...") continue;
      read_line(content, line);
    }
  }

 private:
  // What the lines below a line are: keys, of a value that is used, or of one that is not.
  enum class Below { groups, parts, hosts, host_variables, group_variables, used_value, nothing };

  struct Level {
    std::ptrdiff_t indent = -1;
    Below below = Below::groups;
    std::string group = {};
    std::vector<std::string> hosts = {};
  };

  void read_line(std::string_view content, std::string_view line) {
    const auto indent = static_cast<std::ptrdiff_t>(line.find_first_not_of(' '));
    const bool is_item = content == "-" || content.starts_with("- ");
    while (levels_.back().indent > indent) levels_.pop_back();
    // The items of a list may stand below the first letter of its key.
    if (levels_.back().indent == indent && is_item && levels_.back().below == Below::nothing) return;
    if (levels_.back().indent == indent) levels_.pop_back();
    const Level& above = levels_.back();
    if (above.below == Below::nothing) return;
    if (above.below == Below::used_value) inventory_.fail(number_, "wanted the value in the line of its key");
    if (line[static_cast<std::size_t>(indent)] == '\t')
      inventory_.fail(number_, "a tab, wanted blanks before a key of YAML");
    const std::size_t colon = content.find(": ");
    const bool is_key = colon != std::string_view::npos || content.ends_with(':');
    if (!is_key || content.front() == '-' || content.front() == '?')
      inventory_.fail(number_, "wanted KEY: as in an inventory of Ansible");
    const std::string key = without_quotes(trimmed(content.substr(0, std::min(colon, content.size() - 1))));
    const std::string_view value = colon == std::string_view::npos ? "" : trimmed(content.substr(colon + 2));
    if (levels_.size() > most_levels)
      inventory_.fail(number_, "more than " + std::to_string(most_levels) + " levels");
    Level level = level_below(above, key, value);
    level.indent = indent;
    levels_.push_back(std::move(level));
  }

  Level level_below(const Level& above, const std::string& key, std::string_view value) {
    switch (above.below) {
      case Below::groups:
        require_no_value(key, value);
        inventory_.add_group(key, number_);
        if (!above.group.empty()) inventory_.add_child(above.group, key, number_);
        return {0, Below::parts, key};
      case Below::parts:
        require_no_value(key, value);
        if (key == "children") return {0, Below::groups, above.group};
        if (key == "hosts") return {0, Below::hosts, above.group};
        if (key != "vars")
          inventory_.fail(number_, "\"" + key + "\": wanted hosts, children or vars in a group of Ansible");
        return {0, Below::group_variables, above.group};
      case Below::hosts: {
        Level level{0, Below::host_variables, above.group, inventory_.add(key, above.group, number_)};
        read_flat_map(level, value);
        return level;
      }
      default:
        set(above, key, value);
        return {0, Inventory::uses(key) ? Below::used_value : Below::nothing};
    }
  }

  // Other values are maps, anchors and references of YAML, whose hosts or variables would be lost.
  void require_no_value(const std::string& key, std::string_view value) const {
    if (!value.empty() && value != "~" && value != "null" && value != "{}")
      inventory_.fail(number_, key + ": \"" + std::string(value) + "\": wanted its keys in lines below it");
  }

  void set(const Level& level, const std::string& key, std::string_view value) {
    if (key == "<<") inventory_.fail(number_, "<<: not read, wanted the variables themselves");
    if (!Inventory::uses(key)) return;
    if (has_open_quote(value)) inventory_.fail(number_, open_quote);
    if (!value.empty() && std::string_view("&*!|>").find(value.front()) != std::string_view::npos)
      inventory_.fail(number_, key + ": \"" + std::string(value) + "\": wanted the value itself");
    const std::string text = value == "~" || value == "null" ? "" : without_quotes(value);
    if (level.below == Below::host_variables)
      inventory_.set(level.hosts, key, text, number_);
    else
      inventory_.set_of_group(level.group, key, text, number_);
  }

  // "{ansible_host: 10.0.0.1, ansible_user: me}"
  void read_flat_map(const Level& level, std::string_view value) {
    if (value.empty() || value == "~" || value == "null") return;
    if (value.front() != '{' || value.back() != '}')
      inventory_.fail(number_, "\"" + std::string(value) + "\": wanted variables of the host");
    value = trimmed(value.substr(1, value.size() - 2));
    if (value.empty()) return;
    for (const std::string_view item : split(value, ',')) {
      const std::size_t colon = item.find(':');
      if (colon == std::string_view::npos) inventory_.fail(number_, "wanted {VARIABLE: VALUE, ...}");
      set(level, without_quotes(trimmed(item.substr(0, colon))), trimmed(item.substr(colon + 1)));
    }
  }

  Inventory& inventory_;
  std::vector<Level> levels_;
  std::size_t number_ = 0;
};

// Whether the first line with something in it is a key of YAML that has no blanks before it.
bool is_yaml(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view content = trimmed(without_comment(line));
    if (content.empty() || content == "---") continue;
    return content.ends_with(':') && line.front() != ' ' && content.find(' ') == std::string_view::npos;
  }
  return false;
}

// Whether a variable with this value would change where a host is, which devices it has, or its key.
bool would_be_missed(const std::string& variable, const std::string& value) {
  if (variable == "ansible_connection") return value != "ssh" && value != "smart";
  return Inventory::uses(variable) || variable.ends_with("private_key_file");
}

// Empty if there is none, or the file cannot be read.
std::string first_missed_variable(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = std::size_t{64} << 10U;
  std::string text;
  try {
    text = ranktable::read_start(file, most_bytes);
  } catch (const ranktable::Error&) {
    return "";
  }
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with(' ')) continue;
    const std::string key = without_quotes(trimmed(line.substr(0, colon)));
    if (would_be_missed(key, without_quotes(trimmed(without_comment(line.substr(colon + 1)))))) return key;
  }
  return "";
}

}  // namespace

bool is_inventory(std::string_view text) {
  const auto begins_group = [](std::string_view line) {  // Not "[1-2]", which a hostfile may have.
    const auto section = section_of(line);
    return section && section->first.find_first_not_of("0123456789-") != std::string::npos;
  };
  bool has_hosts = false;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view content = trimmed(without_comment(line));
    if (line.starts_with("- ")) return false;  // A playbook, or another list of YAML.
    if (begins_group(line) || content.find(" ansible_") != std::string_view::npos) return true;
    has_hosts = has_hosts || content == "hosts:";
  }
  return has_hosts && is_yaml(text);
}

std::vector<Host> parse_inventory(std::string_view text, const std::string& name, const std::string& group) {
  Inventory inventory(name);
  if (is_yaml(text))
    YamlInventory(inventory).read(text);
  else
    read_ini(inventory, text);
  return inventory.hosts_of(group);
}

std::string unread_variable_beside(const std::string& inventory) {
  constexpr std::size_t most_files = 1000;
  std::size_t files = 0;
  for (const char* name : {"group_vars", "host_vars"}) {
    std::error_code error;
    std::filesystem::recursive_directory_iterator each(std::filesystem::path(inventory).parent_path() / name,
                                                       error);
    for (; !error && each != end(each) && ++files <= most_files; each.increment(error)) {
      std::error_code ignored;
      if (!each->is_regular_file(ignored)) continue;
      const std::string variable = first_missed_variable(each->path());
      if (!variable.empty()) return each->path().string() + ": " + variable;
    }
  }
  return "";
}

}  // namespace adarun::launcher
