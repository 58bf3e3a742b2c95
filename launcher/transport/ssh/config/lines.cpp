// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/lines.h"

#include <glob.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/config/config_text.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view blanks = " \t\r\f";
constexpr int most_nested_files = 16;

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

std::vector<ConfigLine> read_nested(const std::string& file, const std::filesystem::path& folder, int depth) {
  if (depth > most_nested_files) throw Error(file + ": ssh config files that include each other");
  std::ifstream stream(file);
  std::error_code ignored;
  if (!stream || std::filesystem::is_directory(file, ignored)) return {};
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::vector<ConfigLine> lines = parse_config_lines(text, file);
  for (ConfigLine& line : lines) {
    if (line.keyword != "include") continue;
    for (const std::string& pattern : line.arguments)
      for (const std::string& name : files_of(folder / expand_home(pattern)))
        line.included.push_back(read_nested(name, folder, depth + 1));
  }
  return lines;
}

// One pass over all lines for one host. `Match final` requires a second one.
class SelectionPass {
 public:
  SelectionPass(const Host& host, ConfigSelection& selection, bool final)
      : host_(host), selection_(selection), final_(final) {}

  void read(const std::vector<ConfigLine>& lines, bool active_here) {
    bool active = active_here;
    for (const ConfigLine& line : lines) {
      if (line.keyword == "host") {
        active = active_here && matches_patterns(host_.name, line.arguments);
      } else if (line.keyword == "match") {
        active = active_here && matches(line);
      } else if (line.keyword == "include") {
        for (const std::vector<ConfigLine>& file : line.included) read(file, active);
      } else if (active) {
        take(line);
      }
    }
  }

  bool wants_final() const { return wants_final_; }

 private:
  bool matches(const ConfigLine& line) {
    bool all = true;
    for (auto word = line.arguments.begin(); word != line.arguments.end(); ++word) {
      const bool negated = word->starts_with('!');
      const std::string criterion = lower_case(word->substr(negated ? 1 : 0));
      if (criterion == "all") continue;
      if (criterion == "final" || criterion == "canonical") {
        wants_final_ = wants_final_ || criterion == "final";
        all = all && final_ != negated;
        continue;
      }
      const std::optional<std::string> text = subject(criterion);
      if (!text || ++word == line.arguments.end()) {
        if (!final_) selection_.not_understood.push_back(&line);
        return false;
      }
      all = all && matches_patterns(*text, split_commas(*word)) != negated;
    }
    return all;
  }

  // The text that a criterion of Match is compared with; none if the criterion is not supported.
  std::optional<std::string> subject(const std::string& criterion) const {
    if (criterion == "originalhost") return host_.name;
    if (criterion == "localuser") return user_name();
    if (criterion == "user") return host_.user.empty() ? selection_.text("user", user_name()) : host_.user;
    if (criterion != "host") return std::nullopt;
    return expand_tokens(selection_.text("hostname", host_.name), {{'h', host_.name}});
  }

  void take(const ConfigLine& line) {
    if (line.keyword == "identityfile") {
      std::vector<const ConfigLine*>& all = selection_.identities;
      if (!final_ || std::find(all.begin(), all.end(), &line) == all.end()) all.push_back(&line);
      return;
    }
    // The first of these two applies.
    const bool is_jump = line.keyword == "proxyjump" || line.keyword == "proxycommand";
    if (is_jump && (selection_.has("proxyjump") || selection_.has("proxycommand"))) return;
    selection_.first.emplace(line.keyword, &line);
  }

  const Host& host_;
  ConfigSelection& selection_;
  bool final_;
  bool wants_final_ = false;
};

}  // namespace

std::string ConfigLine::text() const {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

std::vector<ConfigLine> parse_config_lines(std::string_view text, const std::string& file) {
  std::vector<ConfigLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    ConfigLine line;
    line.place = file + ":" + std::to_string(number);
    Words words(text.substr(0, size), line.place);
    if (words.keyword(line.spelling)) {
      line.keyword = lower_case(line.spelling);
      for (std::string word; words.next(word);) line.arguments.push_back(word);
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
  ConfigSelection selection;
  SelectionPass first_pass(host, selection, false);
  for (const std::vector<ConfigLine>& lines : files) first_pass.read(lines, true);
  if (!first_pass.wants_final()) return selection;
  SelectionPass final_pass(host, selection, true);
  for (const std::vector<ConfigLine>& lines : files) final_pass.read(lines, true);
  return selection;
}

}  // namespace adarun::launcher
