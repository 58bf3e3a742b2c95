// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/change_text.h"

#include <algorithm>

#include "launcher/hosts/fold.h"

namespace adarun::launcher {
namespace {

void add_part(std::string& text, const std::vector<std::string>& names, const char* one,
              const char* several) {
  if (names.empty()) return;
  text += (text.empty() ? "" : "; ") + fold_names(names) + (names.size() == 1 ? one : several);
}

}  // namespace

std::string change_text(const std::vector<std::string>& lost, const std::vector<std::string>& removed,
                        const std::vector<std::string>& joined) {
  std::vector<std::string> leave = removed;
  std::erase_if(leave, [&joined](const std::string& name) {
    return std::find(joined.begin(), joined.end(), name) != joined.end();
  });
  std::string text;
  add_part(text, lost, " is lost", " are lost");
  add_part(text, leave, " leaves", " leave");
  add_part(text, joined, " joins", " join");
  return text;
}

}  // namespace adarun::launcher
