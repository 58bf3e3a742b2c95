// SPDX-License-Identifier: Apache-2.0
#include "templates/template.h"

#include <utility>

#include "templates/marks.h"

namespace adarun::templates {

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

}  // namespace adarun::templates
