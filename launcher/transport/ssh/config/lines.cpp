// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/lines.h"

#include <glob.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view blanks = " \t\r\f";
constexpr int most_nested_files = 16;
constexpr std::size_t most_file_bytes = std::size_t{1} << 20U;

// The name under which a keyword is known: OpenSSH takes other ones for some.
std::string keyword_of(const std::string& spelling) {
  static const std::map<std::string, std::string> aliases = {
      {"dsaauthentication", "pubkeyauthentication"},
      {"identityfile2", "identityfile"},
      {"pubkeyacceptedkeytypes", "pubkeyacceptedalgorithms"},
  };
  const std::string lower = lower_case(spelling);
  const auto alias = aliases.find(lower);
  return alias == aliases.end() ? lower : alias->second;
}

// The words of a line: quotes keep blanks together, a backslash escapes a quote or a backslash, and `#` at
// the beginning of a word ends the line.
class Words {
 public:
  Words(std::string_view line, const std::string& place) : rest_(line), place_(place) {}

  bool next(std::string& word) {
    skip(blanks);
    word.clear();
    if (rest_.empty() || rest_.front() == '#') return false;
    char quote = 0;
    for (; !rest_.empty() && (quote != 0 || !is_in(blanks)); rest_.remove_prefix(1)) {
      const bool escaped = rest_.size() > 1 && rest_[0] == '\\' && is_special(rest_[1], quote);
      if (escaped) rest_.remove_prefix(1);
      if (!escaped && rest_.front() == quote) {
        quote = 0;
      } else if (!escaped && quote == 0 && (rest_.front() == '"' || rest_.front() == '\'')) {
        quote = rest_.front();
      } else {
        word += rest_.front();
      }
    }
    if (quote != 0) throw Error(place_ + ": a quote that does not end");
    return true;
  }

  // The first word of the line; one `=` may follow it.
  bool keyword(std::string& word) {
    skip(blanks);
    const std::size_t size = std::min(rest_.find_first_of(" \t\r\f="), rest_.size());
    word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    skip(blanks);
    if (rest_.starts_with('=')) rest_.remove_prefix(1);
    return !word.empty() && word.front() != '#';
  }

 private:
  bool is_in(std::string_view set) const { return set.find(rest_.front()) != std::string_view::npos; }

  static bool is_special(char c, char quote) {
    return c == '"' || c == '\'' || c == '\\' || (quote == 0 && c == ' ');
  }

  void skip(std::string_view set) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(set), rest_.size()));
  }

  std::string_view rest_;
  const std::string& place_;
};

std::vector<std::string> files_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

// A name in an Include line. A relative one is below `folder`.
std::string included_path(const ConfigLine& line, const std::string& name,
                          const std::filesystem::path& folder) {
  try {
    return folder / expand_home(name);
  } catch (const Error& error) {
    line.refuse(name, error.what());
  }
}

std::vector<ConfigLine> read_nested(const std::string& file, const std::filesystem::path& folder, int depth) {
  if (depth > most_nested_files) throw Error(file + ": ssh config files that include each other");
  std::ifstream stream(file);
  std::error_code ignored;
  if (!stream || std::filesystem::is_directory(file, ignored)) return {};
  std::string text(most_file_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > most_file_bytes) throw Error(file + ": no ssh config file: it is larger than 1 MiB");
  std::vector<ConfigLine> lines = parse_config_lines(text, file);
  for (ConfigLine& line : lines) {
    if (line.keyword != "include") continue;
    for (const std::string& pattern : line.arguments)
      for (const std::string& name : files_of(included_path(line, pattern, folder)))
        line.included.push_back(read_nested(name, folder, depth + 1));
  }
  return lines;
}

// The criteria of a Match line, one after another.
class Criteria {
 public:
  explicit Criteria(const ConfigLine& line) : line_(line) {}

  bool next() {
    if (at_ == line_.arguments.size()) return false;
    const std::string& word = line_.arguments[at_++];
    const std::size_t equals = word.find('=');
    behind_equals_.reset();
    if (equals != std::string::npos) behind_equals_ = word.substr(equals + 1);
    negated_ = word.starts_with('!');
    name_ = lower_case(word.substr(0, equals)).substr(negated_ ? 1 : 0);
    return true;
  }

  const std::string& name() const { return name_; }
  bool is_negated() const { return negated_; }

  // What the criterion is compared with: the next word, with or without an `=` in between.
  std::string argument() {
    std::string text = behind_equals_.value_or("");
    if (text.empty()) text = next_word();
    if (!behind_equals_ && text.starts_with('=')) text.erase(0, 1);
    if (text.empty()) text = next_word();
    if (text.empty()) line_.refuse(line_.text(), name_ + " needs an argument");
    return text;
  }

 private:
  std::string next_word() { return at_ == line_.arguments.size() ? "" : line_.arguments[at_++]; }

  const ConfigLine& line_;
  std::size_t at_ = 0;
  std::string name_;
  bool negated_ = false;
  std::optional<std::string> behind_equals_;  // "a" of "host=a".
};

// One pass over all lines for one host.
class SelectionPass {
 public:
  enum class Turn { first, final };

  SelectionPass(const Host& host, ConfigSelection& selection, Turn turn)
      : host_(host), selection_(selection), is_final_(turn == Turn::final) {}

  void read(const std::vector<ConfigLine>& lines, bool active_here) {
    bool active = active_here;
    SkippedBlock* skipped = nullptr;
    for (const ConfigLine& line : lines) {
      if (line.keyword == "host") {
        active =
            active_here && matches_patterns(is_final_ ? selection_.hostname : host_.name, line.arguments);
        skipped = nullptr;
      } else if (line.keyword == "match") {
        const std::optional<bool> result = holds(line);
        active = active_here && result.value_or(false);
        skipped = active_here && !result ? skip(line) : nullptr;
      } else if (skipped != nullptr) {
        skipped->lines.push_back(&line);
      } else if (line.keyword == "include") {
        for (const std::vector<ConfigLine>& file : line.included) read(file, active);
      } else if (active) {
        take(line);
      }
    }
  }

  bool wants_final() const { return wants_final_; }

  // Of the lines so far.
  std::string hostname() const {
    const auto line = selection_.first.find("hostname");
    const std::string text = selection_.text("hostname");
    return text.empty() ? host_.name : line->second->expanded(text, {{'h', host_.name}});
  }

 private:
  // Whether a Match line holds; nothing: that depends on criteria that are not supported.
  std::optional<bool> holds(const ConfigLine& line) {
    bool all = true;
    bool is_supported = true;
    for (Criteria criteria(line); criteria.next();) {
      const bool wanted = !criteria.is_negated();
      if (criteria.name() == "all") {
        all = all && wanted;
      } else if (criteria.name() == "final" || criteria.name() == "canonical") {
        wants_final_ = wants_final_ || criteria.name() == "final";
        all = all && is_final_ == wanted;
      } else {
        const std::optional<bool> result = compare(criteria.name(), criteria.argument());
        is_supported = is_supported && result;
        all = all && result.value_or(wanted) == wanted;
      }
    }
    return is_supported || !all ? std::optional(all) : std::nullopt;
  }

  // Names of hosts are compared without regard to case.
  std::optional<bool> compare(const std::string& criterion, const std::string& argument) const {
    const auto matches = [&argument](const std::string& text) {
      return matches_patterns(text, split_commas(argument));
    };
    const auto matches_host = [&argument](const std::string& text) {
      return matches_patterns(lower_case(text), split_commas(lower_case(argument)));
    };
    if (criterion == "host") return matches_host(is_final_ ? selection_.hostname : hostname());
    if (criterion == "originalhost") return matches_host(host_.name);
    if (criterion == "localuser") return matches(user_name());
    if (criterion == "tagged") return matches(selection_.text("tag"));
    if (criterion != "user") return std::nullopt;
    return matches(host_.user.empty() ? selection_.text("user", user_name()) : host_.user);
  }

  SkippedBlock* skip(const ConfigLine& match) {
    for (const SkippedBlock& block : selection_.skipped)
      if (block.match == &match) return nullptr;
    return &selection_.skipped.emplace_back(SkippedBlock{&match, {}});
  }

  void take(const ConfigLine& line) {
    if (line.keyword == "identityfile") return take_identity(line);
    // The first of these two applies.
    const bool is_jump = line.keyword == "proxyjump" || line.keyword == "proxycommand";
    if (is_jump && (selection_.has("proxyjump") || selection_.has("proxycommand"))) return;
    selection_.first.emplace(line.keyword, &line);
  }

  void take_identity(const ConfigLine& line) {
    std::vector<const ConfigLine*>& all = selection_.identities;
    const auto same = [&line](const ConfigLine* each) { return each->arguments == line.arguments; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(&line);
  }

  const Host& host_;
  ConfigSelection& selection_;
  bool is_final_;
  bool wants_final_ = false;
};

}  // namespace

std::string ConfigLine::text() const {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

void ConfigLine::refuse(const std::string& argument, const std::string& why) const {
  throw Error(place + ": " + spelling + " \"" + argument + "\": " + why);
}

std::string ConfigLine::expanded(const std::string& argument, const Tokens& tokens, Value value) const {
  try {
    return expand_tokens(argument, tokens, value);
  } catch (const Error& error) {
    refuse(argument, error.what());
  }
}

std::vector<ConfigLine> parse_config_lines(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF"))
    throw Error(file + ":1: begins with a byte order mark, which OpenSSH refuses too: save it without");
  std::vector<ConfigLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    ConfigLine line;
    line.place = file + ":" + std::to_string(number);
    Words words(text.substr(0, size), line.place);
    if (words.keyword(line.spelling)) {
      line.keyword = keyword_of(line.spelling);
      for (std::string word; words.next(word);) line.arguments.push_back(word);
      if (line.arguments.empty()) throw Error(line.place + ": " + line.spelling + " has no value");
      lines.push_back(std::move(line));
    }
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return lines;
}

std::vector<ConfigLine> read_config_lines(const std::string& file, const std::filesystem::path& folder) {
  return read_nested(file, folder, 0);
}

std::string ConfigSelection::text(const std::string& keyword, const std::string& otherwise) const {
  const auto line = first.find(keyword);
  const bool says = line != first.end() && !line->second->arguments.empty();
  return says && !line->second->arguments.front().empty() ? line->second->arguments.front() : otherwise;
}

std::vector<std::string> ConfigSelection::list(const std::string& keyword) const {
  const auto line = first.find(keyword);
  return line == first.end() ? std::vector<std::string>() : line->second->arguments;
}

ConfigSelection select_lines(const std::vector<std::vector<ConfigLine>>& files, const Host& host) {
  using Turn = SelectionPass::Turn;
  ConfigSelection selection;
  SelectionPass first_pass(host, selection, Turn::first);
  for (const std::vector<ConfigLine>& lines : files) first_pass.read(lines, true);
  selection.hostname = first_pass.hostname();
  const std::string address = address_in(selection.hostname);
  selection.hostname = address.empty() ? lower_case(selection.hostname) : address;
  if (!first_pass.wants_final() && yes_or_no(selection.text("canonicalizehostname", "no")) == "no")
    return selection;
  SelectionPass final_pass(host, selection, Turn::final);
  for (const std::vector<ConfigLine>& lines : files) final_pass.read(lines, true);
  return selection;
}

}  // namespace adarun::launcher
