// SPDX-License-Identifier: Apache-2.0
#include "templates/template.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "built_in_templates.h"

namespace adarun::templates {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Whether the mark at [begin, end) is alone on its line, and the line has an end.
bool is_alone(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || text[begin - 1] == '\n') && end < text.size() && text[end] == '\n';
}

// The innermost value is used; null: there is none.
template <typename Value>
const Value* find(const std::vector<const Values*>& around, std::map<std::string, Value> Values::*kind,
                  const std::string& name) {
  for (auto values = around.rbegin(); values != around.rend(); ++values) {
    const auto found = ((*values)->*kind).find(name);
    if (found != ((*values)->*kind).end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

Template::Template(std::string name, std::string_view text) : name_(std::move(name)) {
  std::vector<Part> open{{Kind::list, "", "", 1}};
  for (Part& part : split(text)) {
    if (part.kind == Kind::list) {
      open.push_back(std::move(part));
    } else if (part.kind != Kind::end) {
      open.back().parts.push_back(std::move(part));
    } else {
      if (open.size() == 1 || open.back().text != part.text)
        fail(part.line, "{{/" + part.text + "}}: no such list is open here");
      Part closed = std::move(open.back());
      open.pop_back();
      open.back().parts.push_back(std::move(closed));
    }
  }
  if (open.size() > 1) fail(open.back().line, "{{#" + open.back().text + "}}: is not closed");
  parts_ = std::move(open.front().parts);
}

std::string Template::render(const Values& values, const Filters& filters) const {
  std::string text;
  std::vector<const Values*> around{&values};
  render(parts_, around, filters, text);
  return text;
}

void Template::fail(std::size_t line, const std::string& why) const {
  throw Error(name_ + ":" + std::to_string(line) + ": " + why);
}

Template::Part Template::mark_of(std::string_view inside, std::size_t line) const {
  Part mark{Kind::place, std::string(inside), {}, line};
  if (!inside.empty() && (inside[0] == '#' || inside[0] == '/')) {
    mark.kind = inside[0] == '#' ? Kind::list : Kind::end;
    mark.text.erase(0, 1);
  } else if (const std::size_t bar = inside.find('|'); bar != std::string_view::npos) {
    mark.text.resize(bar);
    mark.filter = inside.substr(bar + 1);
  }
  if (!is_name(mark.text) || (!mark.filter.empty() && !is_name(mark.filter)))
    fail(line, "{{" + std::string(inside) + "}}: wanted {{name}}, {{name|filter}}, {{#list}} or {{/list}}");
  return mark;
}

// At its marks; the end of a list is a part, too.
std::vector<Template::Part> Template::split(std::string_view text) const {
  std::vector<Part> parts;
  std::size_t line = 1;
  std::size_t at = 0;
  const auto take_text = [&](std::size_t end) {
    if (end == at) return;
    parts.push_back({Kind::text, std::string(text.substr(at, end - at)), {}, line});
    line += static_cast<std::size_t>(std::count(text.begin() + at, text.begin() + end, '\n'));
    at = end;
  };
  for (std::size_t begin; (begin = text.find("{{", at)) != std::string_view::npos;) {
    while (begin + 2 < text.size() && text[begin + 2] == '{') ++begin;
    take_text(begin);
    const std::size_t close = text.find("}}", begin);
    if (close == std::string_view::npos) fail(line, "{{ without }}");
    parts.push_back(mark_of(text.substr(begin + 2, close - begin - 2), line));
    at = close + 2;
    if (parts.back().kind == Kind::place || !is_alone(text, begin, at)) continue;
    ++at;
    ++line;
  }
  take_text(text.size());
  return parts;
}

std::string Template::text_of(const Part& place, const std::vector<const Values*>& around,
                              const Filters& filters) const {
  const std::string* text = find(around, &Values::texts, place.text);
  if (text == nullptr) fail(place.line, "{{" + place.text + "}}: there is no such text");
  if (place.filter.empty()) return *text;
  const auto filter = filters.find(place.filter);
  if (filter == filters.end()) fail(place.line, "|" + place.filter + ": there is no such filter");
  return filter->second(*text);
}

void Template::render(const std::vector<Part>& parts, std::vector<const Values*>& around,
                      const Filters& filters, std::string& text) const {
  for (const Part& part : parts) {
    if (part.kind == Kind::text) {
      text += part.text;
    } else if (part.kind == Kind::place) {
      text += text_of(part, around, filters);
    } else {
      const std::vector<Values>* list = find(around, &Values::lists, part.text);
      if (list == nullptr) fail(part.line, "{{#" + part.text + "}}: there is no such list");
      for (const Values& member : *list) {
        around.push_back(&member);
        render(part.parts, around, filters, text);
        around.pop_back();
      }
    }
  }
}

std::string_view built_in(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> all[] = {
      {"flux.sh", text::flux_sh_in},
      {"hostfile", text::hostfile_in},
      {"indexed_job.yaml", text::indexed_job_yaml_in},
      {"job.yaml", text::job_yaml_in},
      {"jobset.yaml", text::jobset_yaml_in},
      {"lsf.sh", text::lsf_sh_in},
      {"msrun.sh", text::msrun_sh_in},
      {"pbs.sh", text::pbs_sh_in},
      {"rankfile", text::rankfile_in},
      {"run_node.sh", text::run_node_sh_in},
      {"sbatch.sh", text::sbatch_sh_in},
  };
  for (const auto& [known, content] : all)
    if (known == name) return content;
  assert(!"a template of this name");
  return {};
}

}  // namespace adarun::templates
