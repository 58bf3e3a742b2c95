// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/line_filter.h"

#include <array>
#include <stdexcept>

namespace adarun::cli {

LineFilter::LineFilter(const std::string& pattern) {
  if (pattern.find_first_of(R"(\^$.[]|()*+?{})") == std::string::npos) {
    text_ = pattern;
    return;
  }
  auto regex = std::make_unique<regex_t>();
  const int wrong = regcomp(regex.get(), pattern.c_str(), REG_EXTENDED);
  if (wrong != 0) {
    std::array<char, 256> reason{};
    regerror(wrong, regex.get(), reason.data(), reason.size());
    throw std::invalid_argument("\"" + pattern + "\": no regular expression: " + reason.data());
  }
  regex_.reset(regex.release());
}

bool LineFilter::takes(std::string_view line) const {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!regex_) return line.find(text_) != std::string_view::npos;
  regmatch_t place{0, static_cast<regoff_t>(line.size())};
  return regexec(regex_.get(), line.data(), 1, &place, REG_STARTEND) == 0;
}

}  // namespace adarun::cli
