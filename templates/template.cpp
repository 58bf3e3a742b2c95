// SPDX-License-Identifier: Apache-2.0
#include "templates/template.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "built_in_templates.h"

namespace adarun::templates {
namespace {

[[noreturn]] void fail_at(const std::string& name, std::size_t line, const std::string& why) {
  throw Error(name + ":" + std::to_string(line) + ": " + why);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Mark mark_of(const std::string& name, std::string_view inside, std::size_t line) {
  Mark mark{Mark::Kind::place, std::string(inside), {}, line};
  if (!inside.empty() && (inside[0] == '#' || inside[0] == '/')) {
    mark.kind = inside[0] == '#' ? Mark::Kind::list : Mark::Kind::end;
    mark.text.erase(0, 1);
  } else if (const std::size_t bar = inside.find('|'); bar != std::string_view::npos) {
    mark.text.resize(bar);
    mark.filter = inside.substr(bar + 1);
  }
  if (!is_name(mark.text) || (!mark.filter.empty() && !is_name(mark.filter)))
    fail_at(name, line,
            "{{" + std::string(inside) + "}}: wanted {{name}}, {{name|filter}}, {{#list}} or {{/list}}");
  return mark;
}

// Whether the mark at [begin, end) is alone on its line, and the line has an end.
bool is_alone(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || text[begin - 1] == '\n') && end < text.size() && text[end] == '\n';
}

}  // namespace

std::vector<Mark> marks_of(const std::string& name, std::string_view text) {
  std::vector<Mark> marks;
  std::size_t line = 1;
  std::size_t at = 0;
  const auto take_text = [&](std::size_t end) {
    if (end == at) return;
    marks.push_back({Mark::Kind::text, std::string(text.substr(at, end - at)), {}, line});
    line += static_cast<std::size_t>(std::count(text.begin() + at, text.begin() + end, '\n'));
    at = end;
  };
  for (std::size_t begin; (begin = text.find("{{", at)) != std::string_view::npos;) {
    while (begin + 2 < text.size() && text[begin + 2] == '{') ++begin;
    take_text(begin);
    const std::size_t close = text.find("}}", begin);
    if (close == std::string_view::npos) fail_at(name, line, "{{ without }}");
    marks.push_back(mark_of(name, text.substr(begin + 2, close - begin - 2), line));
    at = close + 2;
    if (marks.back().kind == Mark::Kind::place || !is_alone(text, begin, at)) continue;
    ++at;
    ++line;
  }
  take_text(text.size());
  return marks;
}

class Rendering;

/// A piece of a template: its text, a place, or a list with parts of its own.
struct Template::Part {
  Mark mark;
  std::vector<Part> parts = {};

  static Part of(const std::string& name, const std::vector<Mark>& marks);
  void render(const Rendering& rendering, std::vector<const Values*>& around, std::string& text) const;
};

/// Context for filling in one template.
class Rendering {
 public:
  Rendering(const std::string& name, const Filters& filters) : name_(name), filters_(filters) {}

  [[noreturn]] void fail(const Mark& mark, const std::string& why) const { fail_at(name_, mark.line, why); }

  std::string text_of(const Mark& mark, const std::vector<const Values*>& around) const {
    const std::string* text = find(around, &Values::texts, mark.text);
    if (text == nullptr) fail(mark, "{{" + mark.text + "}}: there is no such text");
    if (mark.filter.empty()) return *text;
    const auto filter = filters_.find(mark.filter);
    if (filter == filters_.end()) fail(mark, "|" + mark.filter + ": there is no such filter");
    return filter->second(*text);
  }

  const std::vector<Values>& list_of(const Mark& mark, const std::vector<const Values*>& around) const {
    const std::vector<Values>* list = find(around, &Values::lists, mark.text);
    if (list == nullptr) fail(mark, "{{#" + mark.text + "}}: there is no such list");
    return *list;
  }

 private:
  // The innermost value is used.
  template <typename Value>
  static const Value* find(const std::vector<const Values*>& around,
                           std::map<std::string, Value> Values::*kind, const std::string& name) {
    for (auto values = around.rbegin(); values != around.rend(); ++values) {
      const auto found = ((*values)->*kind).find(name);
      if (found != ((*values)->*kind).end()) return &found->second;
    }
    return nullptr;
  }

  const std::string& name_;
  const Filters& filters_;
};

Template::Part Template::Part::of(const std::string& name, const std::vector<Mark>& marks) {
  std::vector<Part> open{{Mark{Mark::Kind::list, "", "", 1}}};
  for (const Mark& mark : marks) {
    if (mark.kind == Mark::Kind::list) {
      open.push_back({mark});
    } else if (mark.kind != Mark::Kind::end) {
      open.back().parts.push_back({mark});
    } else {
      if (open.size() == 1 || open.back().mark.text != mark.text)
        fail_at(name, mark.line, "{{/" + mark.text + "}}: no such list is open here");
      Part closed = std::move(open.back());
      open.pop_back();
      open.back().parts.push_back(std::move(closed));
    }
  }
  if (open.size() > 1)
    fail_at(name, open.back().mark.line, "{{#" + open.back().mark.text + "}}: is not closed");
  return std::move(open.front());
}

void Template::Part::render(const Rendering& rendering, std::vector<const Values*>& around,
                            std::string& text) const {
  for (const Part& part : parts) {
    if (part.mark.kind == Mark::Kind::text) {
      text += part.mark.text;
    } else if (part.mark.kind == Mark::Kind::place) {
      text += rendering.text_of(part.mark, around);
    } else {
      for (const Values& member : rendering.list_of(part.mark, around)) {
        around.push_back(&member);
        part.render(rendering, around, text);
        around.pop_back();
      }
    }
  }
}

Template::Template(std::string name, std::string_view text)
    : name_(std::move(name)), all_(std::make_unique<Part>(Part::of(name_, marks_of(name_, text)))) {}

Template::~Template() = default;

std::string Template::render(const Values& values, const Filters& filters) const {
  std::string text;
  std::vector<const Values*> around{&values};
  all_->render(Rendering(name_, filters), around, text);
  return text;
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
