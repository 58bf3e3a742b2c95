// SPDX-License-Identifier: Apache-2.0
#include "templates/marks.h"

#include <algorithm>

#include "templates/template.h"

namespace adarun::templates {
namespace {

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

void fail_at(const std::string& name, std::size_t line, const std::string& why) {
  throw Error(name + ":" + std::to_string(line) + ": " + why);
}

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

}  // namespace adarun::templates
