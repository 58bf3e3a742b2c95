// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/config/selection.h"

#include <optional>

#include "launcher/transport/ssh/config/expand.h"
#include "launcher/transport/ssh/config/pattern.h"

namespace adarun::launcher {
namespace {

// One pass over all lines for one host. `Match final` requires a second one.
class SelectionPass {
 public:
  SelectionPass(const ConfigQuestion& question, ConfigSelection& selection, bool final)
      : question_(question), selection_(selection), final_(final) {}

  void read(const std::vector<ConfigLine>& lines, bool active_here) {
    bool active = active_here;
    for (const ConfigLine& line : lines) {
      if (line.keyword == "host") {
        active = active_here && matches_patterns(question_.name, line.arguments);
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
    if (criterion == "originalhost") return question_.name;
    if (criterion == "localuser") return question_.local_user;
    if (criterion == "user")
      return question_.user.empty() ? selection_.text("user", question_.local_user) : question_.user;
    if (criterion != "host") return std::nullopt;
    return expand_tokens(selection_.text("hostname", question_.name), {{'h', question_.name}});
  }

  void take(const ConfigLine& line) {
    if (line.keyword == "identityfile") {
      if (!final_ || !has_identity(line)) selection_.identities.push_back(&line);
      return;
    }
    // The first of these two applies.
    const bool is_jump = line.keyword == "proxyjump" || line.keyword == "proxycommand";
    if (is_jump && (selection_.has("proxyjump") || selection_.has("proxycommand"))) return;
    selection_.first.emplace(line.keyword, &line);
  }

  bool has_identity(const ConfigLine& line) const {
    for (const ConfigLine* each : selection_.identities)
      if (each == &line) return true;
    return false;
  }

  const ConfigQuestion& question_;
  ConfigSelection& selection_;
  bool final_;
  bool wants_final_ = false;
};

}  // namespace

std::string ConfigSelection::text(const std::string& keyword, const std::string& otherwise) const {
  const auto line = first.find(keyword);
  const bool says = line != first.end() && !line->second->arguments.empty();
  return says && !line->second->arguments.front().empty() ? line->second->arguments.front() : otherwise;
}

std::vector<std::string> ConfigSelection::list(const std::string& keyword) const {
  const auto line = first.find(keyword);
  return line == first.end() ? std::vector<std::string>() : line->second->arguments;
}

ConfigSelection select_lines(const std::vector<std::vector<ConfigLine>>& files,
                             const ConfigQuestion& question) {
  ConfigSelection selection;
  SelectionPass first_pass(question, selection, false);
  for (const std::vector<ConfigLine>& lines : files) first_pass.read(lines, true);
  if (!first_pass.wants_final()) return selection;
  SelectionPass final_pass(question, selection, true);
  for (const std::vector<ConfigLine>& lines : files) final_pass.read(lines, true);
  return selection;
}

}  // namespace adarun::launcher
