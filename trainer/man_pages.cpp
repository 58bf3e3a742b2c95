// SPDX-License-Identifier: Apache-2.0
#include "trainer/man_pages.h"

#include "ranktable/write.h"

namespace adarun::trainer {

void write_man_pages(const std::filesystem::path& folder) {
  for (const auto& pages : {options::man_pages(), sets::man_pages()})
    for (const manual::Page& page : pages) ranktable::write_file(folder / (page.name + ".1"), page.text);
}

}  // namespace adarun::trainer
